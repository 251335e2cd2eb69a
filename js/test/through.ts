// SPDX-License-Identifier: Apache-2.0
//
// Streams of the package with the APIs of the web alone: it runs in browsers, in workers and in other runtimes too.
import type { ByteStream, Tallystick } from "tallystick";
import type { TextCore } from "tallystick/text";

/** Sends bytes through a stream, in chunks of the given sizes in turn. */
export async function through(stream: ByteStream, given: Uint8Array | string, sizes: readonly number[] = [1 << 16]): Promise<Uint8Array> {
  const all = typeof given === "string" ? new TextEncoder().encode(given) : given;
  let at = 0, turn = 0;
  const source = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at >= all.length) {
        controller.close();
        return;
      }
      const end = at + sizes[turn++ % sizes.length]!;
      controller.enqueue(all.slice(at, end));
      at = end;
    },
  });
  return new Uint8Array(await new Response(source.pipeThrough(stream)).arrayBuffer());
}

/** What small streams of each kind become. */
export async function samples(ts: Tallystick, core: TextCore): Promise<Record<string, string>> {
  const protector = ts.policy('keep = ["id"]\n[columns]\nname = { format = "mask" }\n').open();
  const text = async (stream: ByteStream, given: string): Promise<string> =>
    new TextDecoder().decode(await through(stream, given, [5]));
  const texts = core.protector([{ name: "name", key: new Uint8Array(16), namespace: "n" }]);
  return {
    csv: await text(protector.protectCsv(), "id,name\n1,Anna\n"),
    ndjson: await text(protector.protectNdjson(), '{"id": 1, "name": "Anna"}\n'),
    text: await text(texts.revealStream<Uint8Array>(), `<${texts.token("name", "Zoë")}>`),
  };
}

// SPDX-License-Identifier: Apache-2.0
import { load as start, type LoadOptions, type Tallystick } from "tallystick";

/** Whether the tests run on the native addon; run.py says so. */
export const isNative = process.env.TALLYSTICK_CORE === "native";

/** The core that is tested, unless a test asks for another one. */
export function load(options: LoadOptions = {}): Promise<Tallystick> {
  return start(Object.keys(options).length === 0 ? { native: isNative } : options);
}

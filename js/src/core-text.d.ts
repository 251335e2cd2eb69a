// SPDX-License-Identifier: Apache-2.0
/** core-text.wasm: zlib in base64. core/build.py makes it. */
declare const packed: string;
export default packed;

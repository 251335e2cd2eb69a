// SPDX-License-Identifier: Apache-2.0
declare module "*.wasm" {
  const module: WebAssembly.Module;
  export default module;
}

interface LoaderContext {
  callback(error: null, source: string, sourceMap: unknown): void;
}

/**
 * Webpack loader that freezes a module's exports object. The SDK freezes shared modules deeply, but stops at objects
 * that are already frozen. A frozen zod schema no longer works, so the SDK has to stop at the exports.
 */
export = function freezeExports(this: LoaderContext, source: string, sourceMap: unknown): void {
  this.callback(null, `${source}\nObject.freeze(exports);`, sourceMap);
};

interface LoaderContext {
  callback(error: null, source: string, sourceMap: unknown): void;
}

/**
 * A webpack loader. The SDK freezes shared modules to their depth, down to the first thing that is frozen already; a zod
 * schema that is frozen no longer works, so it has to stop at the door.
 */
export = function freezeExports(this: LoaderContext, source: string, sourceMap: unknown): void {
  this.callback(null, `${source}\nObject.freeze(exports);`, sourceMap);
};

import { type FileSystem, realFiles } from '../../store/file/disk';

/** Calls to the file system so far. */
export interface FileCounts {
  readonly calls: number;
  readonly syncs: number;
}

/** The real file system, which counts what the store asks of it. */
export class CountingFiles {
  private calls = 0;
  private syncs = 0;

  /** Counts every call, also of functions that the store may need later. */
  readonly files: FileSystem = new Proxy(realFiles, {
    get: (files, name, receiver) => {
      const found: unknown = Reflect.get(files, name, receiver);
      if (typeof found !== 'function') return found;
      return (...args: unknown[]): unknown => {
        this.calls += 1;
        if (name === 'fsync' || args.some(wantsSync)) this.syncs += 1;
        return Reflect.apply(found, files, args);
      };
    },
  });

  counts(): FileCounts {
    return { calls: this.calls, syncs: this.syncs };
  }
}

function wantsSync(argument: unknown): boolean {
  return typeof argument === 'object' && argument !== null && 'flush' in argument && argument.flush === true;
}

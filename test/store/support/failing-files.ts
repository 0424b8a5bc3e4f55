import { type FileSystem, realFiles } from '../../../store/file/disk';

/** An error of the operating system. */
function osError(code: string): Error {
  return Object.assign(new Error(`${code}: made up`), { code, syscall: 'write' });
}

/** Decides about a call to the file system, by its number: whether it happens, and whether it fails. */
export interface Fault {
  /** First call that fails, from 0. */
  readonly at: number;
  /** `once`: only that call fails. `from`: all later ones fail too. */
  readonly calls: 'once' | 'from';
  /** Whether the first call that fails takes effect nevertheless. */
  readonly tookEffect?: boolean;
  readonly code: string;
}

/** The real file system without its syncs, which nothing but a power cut needs and which take most of the time. */
export const unsyncedFiles: FileSystem = {
  ...realFiles,
  writeFile: (path, bytes, { flag, mode }) => realFiles.writeFile(path, bytes, { flag, mode }),
  fsync: () => Promise.resolve(),
};

/** A file system that counts its calls and fails at some of them. */
export class FailingFiles {
  /** Calls so far. */
  count = 0;
  /** Set to undefined to repair it. */
  fault: Fault | undefined;

  readonly files: FileSystem;

  constructor(files: FileSystem = unsyncedFiles) {
    this.files = this.failing(files);
  }

  private failing(working: FileSystem): FileSystem {
    return new Proxy(working, {
      get: (files, name: keyof FileSystem) => {
        const call: (...given: never[]) => Promise<unknown> = files[name];
        // Cleaning up after a failure is not part of the work.
        return name === 'unlink' ? call : (...args: never[]) => this.decide(() => call(...args));
      },
    });
  }

  private async decide(call: () => Promise<unknown>): Promise<unknown> {
    const number = this.count++;
    const { fault } = this;
    if (fault === undefined) return call();
    if (fault.calls === 'once' ? number !== fault.at : number < fault.at) return call();
    if (number === fault.at && fault.tookEffect === true) await call();
    throw osError(fault.code);
  }
}

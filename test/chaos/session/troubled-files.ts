import { setTimeout as pause } from 'node:timers/promises';
import { type FileSystem, realFiles } from '../../../store/file/file-system';
import type { StoreTrouble } from './worker-plan';

/** Calls that a full or read-only disk refuses. Reading and deleting still work on a full one. */
const refused: Readonly<Record<Exclude<StoreTrouble, 'slow'>, { code: string; calls: readonly (keyof FileSystem)[] }>> =
  {
    full: { code: 'ENOSPC', calls: ['writeFile', 'create', 'write', 'mkdir', 'link', 'rename'] },
    'read-only': { code: 'EROFS', calls: ['writeFile', 'create', 'write', 'mkdir', 'link', 'rename', 'unlink', 'rm'] },
  };
const slowMs = 400;

/** The real file system, which can be given trouble while the process runs. */
export class TroubledFiles {
  trouble: StoreTrouble | null = null;

  readonly files: FileSystem = new Proxy(realFiles, {
    get: (real, name: keyof FileSystem) => {
      const call: (...given: never[]) => Promise<unknown> = real[name];
      return async (...args: never[]): Promise<unknown> => {
        await this.decide(name);
        return call(...args);
      };
    },
  });

  private async decide(name: keyof FileSystem): Promise<void> {
    if (this.trouble === null) return;
    if (this.trouble === 'slow') {
      await pause(slowMs);
      return;
    }
    const { code, calls } = refused[this.trouble];
    if (calls.includes(name)) throw Object.assign(new Error(`${code}: by order`), { code, syscall: name });
  }
}

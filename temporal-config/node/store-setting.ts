import { join, resolve } from 'node:path';
import { z } from 'zod';
import type { ReadSetting } from './setup-error';

/** Where the store is. Safe to print: the address with its password is not a property that printing shows. */
export class StoreSetting {
  readonly #address: string;
  /** Folder of the store; undefined if it is not a folder. */
  readonly folder: string | undefined;
  /** The address for people, without password. */
  readonly shown: string;

  constructor(text: string, cwd: string) {
    this.folder = text.startsWith('file:') ? folderIn(text, cwd) : undefined;
    this.#address = this.folder === undefined ? text : `file:${this.folder}`;
    this.shown = this.folder ?? withoutPassword(text);
  }

  /** The address, with password. */
  get address(): string {
    return this.#address;
  }
}

const path = z.string().refine((text) => !text.includes('\0'));
const folder = { allowed: 'a folder', schema: path };
/** Maximum characters of an address. The time to find what may be a password grows with the square of its length. */
const maxAddress = 4_000;
const address = {
  allowed: 'file:<folder>, postgres://<host>/<database> or s3://<bucket>/<prefix>?journal=postgres://…',
  schema: path.max(maxAddress).refine((text) => /^(?:file:.|(?:postgres|postgresql|s3):\/\/.)/.test(text)),
};

/** Reads where the store is. BATON_STORE wins over BATON_STORE_DIR. */
export function storeSetting(read: ReadSetting, cwd: string, stateDir: string): StoreSetting {
  const inFolder = (): string => `file:${read('BATON_STORE_DIR', folder) ?? join(stateDir, 'store')}`;
  return new StoreSetting(read('BATON_STORE', address) ?? inFolder(), cwd);
}

function folderIn(text: string, cwd: string): string {
  return resolve(cwd, text.slice('file:'.length).replace(/^\/\/(?=\/)/, ''));
}

/** Everything between `//` and `@` may contain a password, also in the address of a journal, and so may parameters. */
function withoutPassword(text: string): string {
  return text
    .replace(/:\/\/[^@?]*@/g, '://…@')
    .replace(/%3A%2F%2F[^&]*%40/gi, '%3A%2F%2F…%40')
    .replace(/\b(\w*(?:password|secret)\w*)=[^&]*/gi, '$1=…');
}

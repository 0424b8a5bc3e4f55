import { resolve } from 'node:path';

/** Where the store is. Safe to print: the address with its password is not a property that printing shows. */
export class StoreSetting {
  readonly #address: string;
  /** Folder of the store; undefined if it is not a folder. */
  readonly folder: string | undefined;
  /** The address for people, without password. */
  readonly shown: string;

  constructor(address: string, cwd: string) {
    this.folder = address.startsWith('file:') ? folderIn(address, cwd) : undefined;
    this.#address = this.folder === undefined ? address : `file:${this.folder}`;
    this.shown = this.folder ?? withoutPassword(address);
  }

  /** The address, with password. */
  get address(): string {
    return this.#address;
  }
}

function folderIn(address: string, cwd: string): string {
  return resolve(cwd, address.slice('file:'.length).replace(/^\/\/(?=\/)/, ''));
}

/** Everything between `//` and `@` may contain a password, also in the address of a journal, and so may parameters. */
function withoutPassword(address: string): string {
  return address
    .replace(/:\/\/[^@?]*@/g, '://…@')
    .replace(/%3A%2F%2F[^&]*%40/gi, '%3A%2F%2F…%40')
    .replace(/\b(\w*(?:password|secret)\w*)=[^&]*/gi, '$1=…');
}

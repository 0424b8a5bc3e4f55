import { Command } from 'commander';
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { KeyRing } from '../../encryption/key-ring';
import { makeFolder } from '../../temporal-config/node/make-folder';
import { type CliContext, CliError, exitCodes } from '../context';

/** `baton keys`: makes keys for encryption. */
export function keysCommand(context: CliContext): Command {
  const keys = new Command('keys').description('make keys for encryption').addHelpText('after', examples);
  keys
    .command('new')
    .description('make a key, write it to a file, and print the setting that uses it')
    .argument('[id]', 'public name of the key; names should sort by age (default: the date)')
    .option('--out <file>', 'file to write (default: .baton/keys/<id>.key)')
    .option('--json', 'print JSON')
    .addHelpText('after', examples)
    .action(async (given: string | undefined, { out, json }: { out?: string; json?: boolean }) => {
      const id = given ?? new Date().toISOString().slice(0, 10);
      const bytes = randomBytes(32);
      // Refuses an id that could not be used.
      new KeyRing([{ id, bytes }]);
      const path = resolve(out ?? join('.baton', 'keys', `${id}.key`));
      await writeKey(path, bytes);
      const { terminal } = context;
      if (json === true) terminal.printJson({ id, path });
      else terminal.print(`BATON_ENCRYPTION_KEYS=${id}:file:${path}`);
      terminal.note(
        `The key is in ${path}. Keep a copy apart from the data: without it, nothing that it encrypts can be read. Put it in front of older keys, which are still needed to read what they encrypted.`,
      );
    });
  return keys;
}

/** Writes a key for its owner alone. Never replaces a file: it might be the only copy of a key. */
async function writeKey(path: string, bytes: Uint8Array): Promise<void> {
  try {
    await makeFolder(dirname(path), { mode: 0o700 });
    await writeFile(path, `${Buffer.from(bytes).toString('base64')}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === 'EEXIST' ? `${path} exists. It is left as it is.` : `The key can't be written: ${message}`;
    throw new CliError(exitCodes.failed, reason, 'Name another file with --out, or another id.');
  }
}

const examples = `
Examples:
  $ baton keys new
  $ baton keys new 2027-01 --out /etc/baton/2027-01.key
`;

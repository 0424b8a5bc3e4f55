import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type EncryptionKey, KeyRing } from '../../encryption/key-ring';
import { type Environment, InvalidSettingError, readVariable } from './setup-error';

const format = 'as <id>:file:<path> or <id>:base64:<key>, separated by commas; the first one encrypts';

/**
 * Reads the keys that BATON_ENCRYPTION_KEYS names; undefined if it is unset. Throws an error with a remedy, and without
 * any key in it, if one can't be read: nothing may be written without encryption because a file is missing.
 */
export function readEncryptionKeys(env: Environment = process.env, cwd: string = process.cwd()): KeyRing | undefined {
  const setting = readVariable(env, 'BATON_ENCRYPTION_KEYS');
  if (setting === undefined) return undefined;
  const keys = setting.split(',').map((entry) => readKey(entry.trim(), cwd));
  try {
    return new KeyRing(keys);
  } catch (error) {
    throw wrong((error as Error).message, 'Make a key with: baton keys new');
  }
}

const entryRule = /^([\w.-]{1,64}):(file|base64):(.+)$/s;

function readKey(entry: string, cwd: string): EncryptionKey {
  const [, id, source, value] = entryRule.exec(entry) ?? [];
  // The entry may be a key, so it is not quoted.
  if (id === undefined || value === undefined) throw wrong('it is not a list of keys', `List them ${format}.`);
  const content = source === 'file' ? fileContent(id, resolve(cwd, value)) : Buffer.from(value, 'utf8');
  const bytes = keyIn(content);
  if (bytes !== undefined) return { id, bytes };
  throw wrong(`the key "${id}" is not 32 bytes, plain or as base64`, 'Make one with: baton keys new');
}

function fileContent(id: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw wrong(`the key "${id}" can't be read: ${(error as Error).message}`, 'Restore the file, or correct the path.');
  }
}

/** Returns the key in a file: its 32 bytes, or their base64 in one line. */
function keyIn(content: Buffer): Uint8Array | undefined {
  if (content.length === 32) return content;
  const text = content.toString('latin1').trim();
  return /^[A-Za-z0-9+/]{43}=?$/.test(text) ? Buffer.from(text, 'base64') : undefined;
}

function wrong(reason: string, remedy: string): InvalidSettingError {
  return new InvalidSettingError('BATON_ENCRYPTION_KEYS', reason, remedy);
}

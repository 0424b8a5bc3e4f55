import { InvalidInputError } from '../domain/kernel';
import { decodeUtf8, sha256 } from './blobs';

const longestPlainName = 160;
const bytesKeptOfLongId = 26;

/**
 * Returns the name of a run in a store: lower-case ASCII letters, digits, `-`, `_`, and `%xx` for every other byte. As
 * the name of a folder it can therefore not escape the one above, and two ids never share a name, not even on file
 * systems that ignore case or Unicode normalization. Long ids keep their first bytes and get a hash after `~`.
 */
export function runName(runId: string): string {
  const bytes = Buffer.from(runId, 'utf8');
  if (runId === '' || bytes.toString('utf8') !== runId) {
    throw new InvalidInputError(
      'runId',
      'it is empty or not well-formed text',
      'Use a run id that is valid Unicode text.',
    );
  }
  const parts = Array.from(bytes, encodeByte);
  const name = parts.join('');
  if (name.length <= longestPlainName) return name;
  return `${parts.slice(0, bytesKeptOfLongId).join('')}~${sha256(bytes)}`;
}

/** Whether the run id cannot be recovered from the name. */
export function isHashedName(name: string): boolean {
  return name.includes('~');
}

function encodeByte(byte: number): string {
  const character = String.fromCharCode(byte);
  return /[a-z0-9_-]/.test(character) ? character : `%${byte.toString(16).padStart(2, '0')}`;
}

/** Returns the run id of a plain name; undefined for a hashed name, and for one that is not of a run. */
export function runIdOfName(name: string): string | undefined {
  if (!/^(?:[a-z0-9_-]|%[0-9a-f]{2})+$/.test(name)) return undefined;
  const bytes = name.replace(/%(..)/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  const runId = decodeUtf8(Buffer.from(bytes, 'latin1'));
  return runId !== undefined && runName(runId) === name ? runId : undefined;
}

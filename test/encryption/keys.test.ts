import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { type KeyRing, keyRingOf } from '../../encryption/key-ring';
import { readEncryptionKeys } from '../../temporal-config/node/encryption-keys';
import { readSettings } from '../../temporal-config/node/settings';

let folder: string;
const bytes = randomBytes(32);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'baton-keys-'));
  await writeFile(join(folder, 'plain.key'), bytes);
  await writeFile(join(folder, 'text.key'), `${bytes.toString('base64')}\n`);
  await writeFile(join(folder, 'short.key'), 'c2hvcnQ=');
});
afterAll(() => rm(folder, { recursive: true }));

const read = (keys: string): KeyRing | undefined => readEncryptionKeys({ BATON_ENCRYPTION_KEYS: keys }, folder);
const problem = (keys: string): string => {
  try {
    read(keys);
  } catch (error) {
    return (error as Error).message;
  }
  return 'accepted';
};

test('keys come from files, plain or as base64, or from the variable itself', () => {
  const ring = read(`c:file:plain.key, b:file:${join(folder, 'text.key')},a:base64:${bytes.toString('base64')}`);
  expect(ring?.ids).toEqual(['c', 'b', 'a']);
  expect(ring?.current.id).toBe('c');
  expect(ring?.byAge.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
  for (const id of ['a', 'b', 'c']) expect(Buffer.from(ring?.find(id)?.bytes ?? [])).toEqual(bytes);
  expect(read('')).toBeUndefined();
  expect(readEncryptionKeys({}, folder)).toBeUndefined();
});

test('a key that can not be used is refused in one sentence, without showing a key', () => {
  expect(problem('a:file:missing.key')).toMatch(/^BATON_ENCRYPTION_KEYS: the key "a" can't be read: ENOENT/);
  expect(problem('a:file:short.key')).toBe('BATON_ENCRYPTION_KEYS: the key "a" is not 32 bytes, plain or as base64');
  expect(problem('a:file:plain.key,a:file:text.key')).toMatch(/two keys have the same id/);
  const text = bytes.toString('base64');
  for (const wrong of [text, `a:${text}`, `a:base64:${text.slice(0, 20)}`, `a:base64:${text},`, 'a b:file:plain.key'])
    expect(problem(wrong)).toMatch(/^BATON_ENCRYPTION_KEYS: (it is not a list of keys|the key "a" is not 32 bytes)/);
  expect(problem(`a:${text}`)).not.toContain(text);
  expect(() => readSettings({ BATON_ENCRYPTION_KEYS: 'a:file:missing.key' }, folder)).toThrow(/can't be read/);
});

test('settings can be printed: they show ids, and no key', () => {
  const settings = readSettings({ BATON_ENCRYPTION_KEYS: 'a:file:plain.key' }, folder);
  const printed = `${JSON.stringify(settings)}${inspect(settings, { depth: 9, showHidden: true })}`;
  expect(JSON.parse(JSON.stringify(settings))).toMatchObject({ encryption: ['a'] });
  for (const form of ['base64', 'hex', 'latin1'] as const) expect(printed).not.toContain(bytes.toString(form));
});

test('a function is asked for keys, and what it returns is checked', async () => {
  const ring = await keyRingOf(() => Promise.resolve([{ id: 'kms-1', bytes }]));
  expect(ring.ids).toEqual(['kms-1']);
  await expect(keyRingOf([])).rejects.toThrow('encryption: the list of keys is empty');
  await expect(keyRingOf([{ id: 'kms-1', bytes: bytes.subarray(1) }])).rejects.toThrow('has 31 bytes instead of 32');
  await expect(keyRingOf(() => Promise.reject(new Error('KMS is down')))).rejects.toThrow('KMS is down');
});

import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { randomBytes, webcrypto } from 'node:crypto';
import { KeyRing } from '../../encryption/key-ring';
import { EncryptionCodec, encryptedWith } from '../../encryption/payload-codec';

const key = (id: string) => ({ id, bytes: randomBytes(32) });
const [old, recent] = [key('2026-05'), key('2026-11')];
const secret = defaultPayloadConverter.toPayload({ goal: 'Buy the harbour.' });

const encoded = async (codec: EncryptionCodec, payload = secret): Promise<Payload> =>
  (await codec.encode([payload]))[0] as Payload;
const valueOf = async (codec: EncryptionCodec, payload: Payload): Promise<unknown> =>
  defaultPayloadConverter.fromPayload((await codec.decode([payload]))[0] as Payload);

describe('the codec', () => {
  const codec = new EncryptionCodec(new KeyRing([recent, old]));

  test('encrypts the whole payload, its metadata included, differently each time', async () => {
    const [one, other] = [await encoded(codec), await encoded(codec)];
    expect(Object.keys(one.metadata ?? {})).toEqual(['encoding', 'encryption-key-id']);
    expect(Buffer.from(one.data ?? []).includes('harbour')).toBe(false);
    expect(Buffer.from(one.data ?? []).includes('json/plain')).toBe(false);
    expect(one.data).not.toEqual(other.data);
    expect(await valueOf(codec, one)).toEqual({ goal: 'Buy the harbour.' });
  });

  test('encrypts with the first key, and decrypts with all', async () => {
    const written = await encoded(new EncryptionCodec(new KeyRing([old])));
    expect(encryptedWith(written)).toBe('2026-05');
    expect(encryptedWith(await encoded(codec))).toBe('2026-11');
    expect(await valueOf(codec, written)).toEqual({ goal: 'Buy the harbour.' });
  });

  test('leaves plain payloads readable, and writes none', async () => {
    expect(await valueOf(codec, secret)).toEqual({ goal: 'Buy the harbour.' });
    expect(encryptedWith(secret)).toBeUndefined();
  });

  test('reads and writes the envelope of Temporal’s samples: nonce, ciphertext, tag', async () => {
    const subject = await webcrypto.subtle.importKey('raw', recent.bytes, 'AES-GCM', false, ['encrypt', 'decrypt']);
    const iv = randomBytes(12);
    const { Payload: Message } = temporal.api.common.v1;
    const sealed = await webcrypto.subtle.encrypt({ name: 'AES-GCM', iv }, subject, Message.encode(secret).finish());
    const metadata = { encoding: Buffer.from('binary/encrypted'), 'encryption-key-id': Buffer.from('2026-11') };
    expect(await valueOf(codec, { metadata, data: Buffer.concat([iv, Buffer.from(sealed)]) })).toEqual({
      goal: 'Buy the harbour.',
    });
    const ours = Buffer.from((await encoded(codec)).data ?? []);
    const opened = await webcrypto.subtle.decrypt(
      { name: 'AES-GCM', iv: ours.subarray(0, 12) },
      subject,
      ours.subarray(12),
    );
    expect(defaultPayloadConverter.fromPayload(Message.decode(Buffer.from(opened)))).toEqual({
      goal: 'Buy the harbour.',
    });
  });

  test('refuses what it has no key for, and what was changed, in one sentence each', async () => {
    const foreign = await encoded(new EncryptionCodec(new KeyRing([key('2027-01')])));
    await expect(codec.decode([foreign])).rejects.toMatchObject({
      type: 'Encryption.KeyMissing',
      message: 'This payload is encrypted with the key "2027-01", which is not among the keys here',
    });
    await expect(new EncryptionCodec(undefined).decode([foreign])).rejects.toMatchObject({
      type: 'Encryption.KeyMissing',
    });
    const written = await encoded(codec);
    for (const at of [0, 12, -1]) {
      const data = Buffer.from(written.data ?? []);
      data.writeUInt8((data.at(at) ?? 0) ^ 1, at < 0 ? data.length + at : at);
      await expect(codec.decode([{ ...written, data }])).rejects.toMatchObject({ type: 'Encryption.Damaged' });
    }
    await expect(codec.decode([{ ...written, data: new Uint8Array(3) }])).rejects.toMatchObject({
      type: 'Encryption.Damaged',
    });
    const impostor = new EncryptionCodec(new KeyRing([key('2026-11')]));
    await expect(impostor.decode([written])).rejects.toMatchObject({ type: 'Encryption.Damaged' });
  });

  test('never throws in a worker: it passes on what it cannot read', async () => {
    const foreign = await encoded(new EncryptionCodec(new KeyRing([key('2027-01')])));
    expect(await codec.forWorker().decode([foreign])).toEqual([foreign]);
    const written = await encoded(codec);
    const [damaged] = await codec.forWorker().decode([{ ...written, data: new Uint8Array(40) }]);
    expect(Buffer.from(damaged?.metadata?.['encoding'] ?? []).toString()).toBe('binary/damaged');
  });
});

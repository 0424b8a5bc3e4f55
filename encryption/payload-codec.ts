import type { Payload, PayloadCodec } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { randomBytes } from 'node:crypto';
import { EncryptedDamagedError, KeyMissingError } from '../domain/store';
import { decrypt, encrypt, nonceBytes } from './cipher';
import type { EncryptionKey, KeyRing } from './key-ring';

const { Payload: PayloadMessage } = temporal.api.common.v1;

/** Metadata of the envelope, the same as in Temporal's samples: their codec servers can read it, and ours theirs. */
const encodingField = 'encoding';
const keyIdField = 'encryption-key-id';
const encryptedEncoding = 'binary/encrypted';
const encryptedBytes = Buffer.from(encryptedEncoding);

/**
 * Encrypts payloads with AES-256-GCM. The envelope is that of Temporal's samples: the whole payload, serialized, with a
 * random nonce in front and the tag behind it. Plain payloads are left as they are when decoding, so that runs from
 * before encryption was turned on stay readable; with keys, none is ever written.
 *
 * A payload that can't be read is an error in a client. A worker passes it on as it is, and the payload converter of
 * workers decides: a missing key stops the workflow or the attempt until a worker has it, and never fails a run.
 */
export class EncryptionCodec implements PayloadCodec {
  /** Without keys, nothing is encrypted, and what is encrypted is still recognized. */
  constructor(
    readonly keys: KeyRing | undefined,
    private readonly onUnreadable: 'throw' | 'pass' | 'null' = 'throw',
  ) {}

  encode(payloads: Payload[]): Promise<Payload[]> {
    const key = this.keys?.current;
    return Promise.resolve(key === undefined ? payloads : payloads.map((payload) => sealed(payload, key)));
  }

  decode(payloads: Payload[]): Promise<Payload[]> {
    // Throws inside of a promise, like every codec.
    return new Promise((resolve) => {
      resolve(payloads.map((payload) => this.open(payload)));
    });
  }

  /** Returns a codec with these keys for a worker. */
  forWorker(): EncryptionCodec {
    return new EncryptionCodec(this.keys, 'pass');
  }

  /** Returns a codec with these keys that reads null instead of what it can't read. */
  forOverview(): EncryptionCodec {
    return new EncryptionCodec(this.keys, 'null');
  }

  /** Decodes one payload at once. */
  open(payload: Payload): Payload {
    if (!isEncrypted(payload)) return payload;
    const id = metadataOf(payload, keyIdField);
    const key = this.keys?.find(id);
    if (key === undefined) {
      if (this.onUnreadable === 'pass') return payload;
      if (this.onUnreadable === 'null') return nullPayload;
      throw new KeyMissingError(id, 'This payload');
    }
    const bytes = decrypt(key.bytes, payload.data ?? new Uint8Array());
    const content = bytes === undefined ? undefined : parsed(bytes);
    if (content !== undefined) return content;
    if (this.onUnreadable === 'null') return nullPayload;
    if (this.onUnreadable === 'throw') throw new EncryptedDamagedError(id);
    return { ...payload, metadata: { ...payload.metadata, [encodingField]: Buffer.from('binary/damaged') } };
  }
}

const nullPayload: Payload = { metadata: { [encodingField]: Buffer.from('json/plain') }, data: Buffer.from('null') };

/** Returns the id of the key that a payload is encrypted with; undefined if it is not encrypted. */
export function encryptedWith(payload: Payload): string | undefined {
  return isEncrypted(payload) ? metadataOf(payload, keyIdField) : undefined;
}

/** Compares bytes, because commands ask this of every payload of a large run. */
function isEncrypted({ metadata }: Payload): boolean {
  const encoding = metadata?.[encodingField];
  return encoding != null && encryptedBytes.equals(encoding);
}

function sealed(payload: Payload, { id, bytes }: EncryptionKey): Payload {
  return {
    metadata: { [encodingField]: Buffer.from(encryptedEncoding), [keyIdField]: Buffer.from(id) },
    data: encrypt(bytes, randomBytes(nonceBytes), PayloadMessage.encode(payload).finish()),
  };
}

function parsed(bytes: Uint8Array): Payload | undefined {
  try {
    return PayloadMessage.decode(bytes);
  } catch {
    return undefined;
  }
}

function metadataOf({ metadata }: Payload, field: string): string {
  return Buffer.from(metadata?.[field] ?? []).toString('utf8');
}

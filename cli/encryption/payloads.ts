import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { z } from 'zod';
import { StoreError } from '../../domain/store';
import { EncryptionCodec } from '../../encryption/payload-codec';
import type { KeyRing } from '../../encryption/key-ring';
import { badRequest } from '../ui/http/answer';
import type { Contents } from './contents';
import { type LinkTo, RefExpander, runsIn } from './expand-refs';

const payloadSchema = z.looseObject({
  metadata: z.record(z.string(), z.base64()).nullish(),
  data: z.base64().nullish(),
});
const bodySchema = z.object({ payloads: z.array(payloadSchema).max(10_000) });

/** A payload as JSON, the form in which the Web UI sends and receives it. */
type PayloadJson = z.infer<typeof payloadSchema>;

/** Encodes and decodes payloads for the Web UI and for Temporal's CLI. */
export class PayloadService {
  private readonly codec: EncryptionCodec;

  constructor(
    keys: KeyRing | undefined,
    private readonly contents: Contents | undefined,
    private readonly linkTo: LinkTo,
  ) {
    this.codec = new EncryptionCodec(keys);
  }

  async encode(body: unknown): Promise<object> {
    return { payloads: (await this.codec.encode(payloadsIn(body))).map(toJson) };
  }

  /** Decrypts payloads, and shows what their references point to. A payload that can't be read says why. */
  async decode(body: unknown): Promise<object> {
    const decoded = await Promise.all(payloadsIn(body).map((payload) => this.opened(payload)));
    const mentioned = decoded.flatMap((payload) => [...runsIn(jsonIn(payload))]);
    const shown: Payload[] = [];
    for (const payload of decoded) shown.push(await this.expanded(payload, mentioned));
    return { payloads: shown.map(toJson) };
  }

  private async opened(payload: Payload): Promise<Payload> {
    try {
      const [opened = payload] = await this.codec.decode([payload]);
      return opened;
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      return defaultPayloadConverter.toPayload({ unreadable: error.message });
    }
  }

  private async expanded(payload: Payload, mentioned: readonly string[]): Promise<Payload> {
    const value = jsonIn(payload);
    if (this.contents === undefined || typeof value !== 'object' || value === null) return payload;
    const expander = new RefExpander(this.contents, mentioned, this.linkTo);
    const shown = await expander.expand(value);
    return expander.hasFound ? { ...payload, data: Buffer.from(JSON.stringify(shown)) } : payload;
  }
}

/** The value of a JSON payload; undefined for any other. */
function jsonIn({ metadata, data }: Payload): unknown {
  if (Buffer.from(metadata?.['encoding'] ?? []).toString() !== 'json/plain') return undefined;
  try {
    return JSON.parse(Buffer.from(data ?? []).toString('utf8'));
  } catch {
    return undefined;
  }
}

function payloadsIn(body: unknown): Payload[] {
  const parsed = bodySchema.safeParse(body);
  if (!parsed.success) throw badRequest('The body must be {"payloads": […]}, with metadata and data as base64.');
  return parsed.data.payloads.map(fromJson);
}

function fromJson({ metadata, data }: PayloadJson): Payload {
  const fields = Object.entries(metadata ?? {}).map(([name, text]) => [name, Buffer.from(text, 'base64')] as const);
  return { metadata: Object.fromEntries(fields), data: Buffer.from(data ?? '', 'base64') };
}

function toJson({ metadata, data }: Payload): PayloadJson {
  const fields = Object.entries(metadata ?? {}).map(([name, bytes]) => [name, base64(bytes)] as const);
  return { metadata: Object.fromEntries(fields), data: base64(data ?? new Uint8Array()) };
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

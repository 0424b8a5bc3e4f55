import type * as Sdk from '@aws-sdk/client-s3';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConcurrencyLimit } from '../../domain/kernel';
import { StoreUnavailableError } from '../../domain/store';
import { isContended, isMissing, isTaken, toStoreError } from './errors';
import type { LastByteGate } from './last-byte-gate';

/** Which bucket, and how it is reached. */
export interface BucketOptions {
  readonly bucket: string;
  /** Begin of all keys; empty or ends with a slash. */
  readonly prefix: string;
  readonly endpoint: string | undefined;
  readonly region: string | undefined;
  readonly pathStyle: boolean;
  readonly timeoutMs: number;
  /** The address for messages, without secrets. */
  readonly location: string;
}

/** An object, as a list shows it. */
export interface ListedObject {
  /** Without the prefix of the bucket. */
  readonly key: string;
  readonly bytes: number;
  readonly writtenAt: number;
}

/** Milliseconds for establishing a connection. */
const connectMs = 10_000;

/** Requests at a time. The client has 50 connections, and a request that waits for one would count as late. */
const requestsAtATime = 40;

/** Attempts of a request. The client waits between them, longer when the server asks to slow down. */
const attempts = 4;

/** Milliseconds before an object that others are writing is asked for again, about; doubled each time. */
const contendedMs = 50;

/** Objects of a bucket below a prefix. Errors of the server and the network are thrown as store errors. */
export class Bucket {
  private readonly limit = new ConcurrencyLimit(requestsAtATime);

  private constructor(
    private readonly sdk: typeof Sdk,
    private readonly client: Sdk.S3Client,
    private readonly options: BucketOptions,
  ) {}

  static async open(options: BucketOptions): Promise<Bucket> {
    const sdk = await loadSdk(options.location);
    const { endpoint, region, pathStyle: forcePathStyle, timeoutMs: requestTimeout } = options;
    const client = new sdk.S3Client({
      ...(endpoint === undefined ? {} : { endpoint }),
      // Servers other than that of AWS take any region.
      ...(region === undefined ? (endpoint === undefined ? {} : { region: 'us-east-1' }) : { region }),
      forcePathStyle,
      maxAttempts: attempts,
      // Servers other than that of AWS may not know the checksums that the client likes to add. Hashes are compared anyway.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      requestHandler: { connectionTimeout: connectMs, requestTimeout, throwOnRequestTimeout: true },
    });
    return new Bucket(sdk, client, options);
  }

  get location(): string {
    return this.options.location;
  }

  async put(key: string, body: Uint8Array): Promise<void> {
    await this.guarded(() => this.client.send(new this.sdk.PutObjectCommand({ ...this.at(key), Body: body })));
  }

  /**
   * Writes an object unless there is one. Returns whether the server says that this request did. A server may refuse a
   * request because of another one that is under way and may fail, so it is repeated until the object is there. With a
   * gate, the first upload ends together with the others at it.
   */
  async create(key: string, body: Uint8Array, gate?: LastByteGate): Promise<boolean> {
    for (let attempt = 1; ; attempt += 1) {
      const command = new this.sdk.PutObjectCommand({ ...this.at(key), Body: body, IfNoneMatch: '*' });
      try {
        const held = attempt === 1 ? gate?.hold(command) : undefined;
        await this.limit.run(() => this.client.send(held ?? command));
        return true;
      } catch (error) {
        if (isTaken(error)) return false;
        if (!isContended(error)) throw this.toStoreError(error);
        if ((await this.head(key)) !== undefined) return false;
        if (attempt === attempts) throw this.toStoreError(error);
      }
      await sleep(contendedMs * 2 ** attempt * (0.5 + Math.random()));
    }
  }

  async get(key: string): Promise<Uint8Array | undefined> {
    const command = new this.sdk.GetObjectCommand(this.at(key));
    return this.guarded(() =>
      orMissing(
        this.client.send(command).then(async ({ Body: body }) => {
          return body === undefined ? new Uint8Array() : Buffer.from(await body.transformToByteArray());
        }),
      ),
    );
  }

  async head(key: string): Promise<{ readonly bytes: number; readonly writtenAt: number } | undefined> {
    const found = await this.guarded(() => orMissing(this.client.send(new this.sdk.HeadObjectCommand(this.at(key)))));
    return found && { bytes: found.ContentLength ?? 0, writtenAt: found.LastModified?.getTime() ?? 0 };
  }

  /** Lists the objects whose keys begin with `prefix`, page by page. */
  async *list(prefix: string): AsyncGenerator<readonly ListedObject[], void, undefined> {
    for (let token: string | undefined; ;) {
      const command = new this.sdk.ListObjectsV2Command({
        Bucket: this.options.bucket,
        Prefix: this.options.prefix + prefix,
        ...(token === undefined ? {} : { ContinuationToken: token }),
      });
      const { Contents: found = [], NextContinuationToken: next } = await this.guarded(() => this.client.send(command));
      yield found.map(({ Key: key = '', Size: bytes = 0, LastModified: at }) => ({
        key: key.slice(this.options.prefix.length),
        bytes,
        writtenAt: at?.getTime() ?? 0,
      }));
      if (next === undefined) return;
      token = next;
    }
  }

  /** Deletes all objects whose keys begin with `prefix`, a page at a time. */
  async removeAll(prefix: string): Promise<void> {
    for await (const page of this.list(prefix)) if (page.length > 0) await this.removeSome(page.map(({ key }) => key));
  }

  async remove(key: string): Promise<void> {
    await this.guarded(() => this.client.send(new this.sdk.DeleteObjectCommand(this.at(key))));
  }

  close(): void {
    this.client.destroy();
  }

  private async removeSome(keys: readonly string[]): Promise<void> {
    const objects = keys.map((key) => ({ Key: this.options.prefix + key }));
    const command = new this.sdk.DeleteObjectsCommand({
      Bucket: this.options.bucket,
      Delete: { Objects: objects, Quiet: true },
    });
    const { Errors: failed = [] } = await this.guarded(() => this.client.send(command));
    const [first] = failed;
    if (first !== undefined)
      throw new StoreUnavailableError(this.location, `an object can't be deleted (${first.Code}: ${first.Message})`);
  }

  private at(key: string): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.options.bucket, Key: this.options.prefix + key };
  }

  private async guarded<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await this.limit.run(work);
    } catch (error) {
      throw this.toStoreError(error);
    }
  }

  private toStoreError(error: unknown): unknown {
    return toStoreError(this.location, this.options.bucket, error);
  }
}

async function orMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Loads the client only here. It is an optional dependency, which takes a second to load. */
async function loadSdk(location: string): Promise<typeof Sdk> {
  try {
    return await import('@aws-sdk/client-s3');
  } catch {
    const reason = 'the package "@aws-sdk/client-s3" is missing; install it with: npm install @aws-sdk/client-s3';
    throw new StoreUnavailableError(location, reason);
  }
}

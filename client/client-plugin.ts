import type { ClientOptions, ClientPlugin } from '@temporalio/client';
import { EncryptionCodec } from '../encryption/payload-codec';
import { type EncryptionKey, KeyRing } from '../encryption/key-ring';
import { readEncryptionKeys } from '../temporal-config/node/encryption-keys';

/**
 * Plugin of Temporal's client: lets a client that a team has already read and write what Baton's workers encrypt. It goes
 * behind codecs that the client has, so that what these make is encrypted. Without keys, nothing is encrypted, and what is
 * encrypted is refused in one sentence.
 *
 * Temporal calls its plugin interface experimental, so this class may change with it.
 *
 * @throws InvalidSettingError if no keys are passed and those in BATON_ENCRYPTION_KEYS can't be read.
 *
 * @example
 * ```ts
 * import { Client, Connection } from '@temporalio/client';
 * import { BatonClientPlugin } from 'baton-agents';
 *
 * async function connect(): Promise<Client> {
 *   return new Client({ connection: await Connection.connect(), plugins: [new BatonClientPlugin()] });
 * }
 * ```
 */
export class BatonClientPlugin implements ClientPlugin {
  readonly name = 'baton-client';
  private readonly keys: KeyRing | undefined;

  /** Keys that encrypt. Default: those in BATON_ENCRYPTION_KEYS. */
  constructor(keys: KeyRing | readonly EncryptionKey[] | undefined = readEncryptionKeys()) {
    this.keys = keys === undefined || keys instanceof KeyRing ? keys : new KeyRing(keys);
  }

  configureClient(given: Omit<ClientOptions, 'plugins'>): Omit<ClientOptions, 'plugins'> {
    const { dataConverter } = given;
    const codecs = dataConverter?.payloadCodecs ?? [];
    // A plugin of the connection is applied to its clients, which may have it as well.
    if (codecs.some((codec) => codec instanceof EncryptionCodec)) return given;
    return {
      ...given,
      dataConverter: { ...dataConverter, payloadCodecs: [...codecs, new EncryptionCodec(this.keys)] },
    };
  }
}

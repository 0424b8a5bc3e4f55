import { type Client, WorkflowClient } from '@temporalio/client';
import { overviewCodecs } from '../../encryption/data-converter';

const overviews = new WeakMap<Client, WorkflowClient>();

/**
 * Returns a client for lists and states of executions. It also reads those that are encrypted with a key which is not
 * here, except for their memo, whose fields are then null: one of them must not hide all the others.
 */
export function overview(client: Client): WorkflowClient {
  const known = overviews.get(client);
  if (known !== undefined) return known;
  const { connection, options } = client;
  const { namespace, identity, loadedDataConverter } = options;
  const dataConverter = { ...loadedDataConverter, payloadCodecs: overviewCodecs(loadedDataConverter.payloadCodecs) };
  const made = new WorkflowClient({ connection, namespace, identity, dataConverter });
  overviews.set(client, made);
  return made;
}

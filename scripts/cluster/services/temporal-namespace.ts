import { Connection, isGrpcServiceError } from '@temporalio/client';
import { devNamespace, isHealthy, probePort } from '../../../temporal-config/dev-server/health';
import { grpcStatus, grpcStatusOf } from '../../../temporal-config/node/connection-failure';
import { registerSearchAttributes } from '../../../temporal-config/node/search-attributes-setup';

const retentionSeconds = 86_400;

/** Whether the server responds and has its namespace with Baton's search attributes. Creates them if they are missing. */
export async function namespaceExists(address: string): Promise<boolean> {
  if ((await probePort(address, 500)) !== undefined) return false;
  const connection = await Connection.connect({ address, connectTimeout: '5s' });
  try {
    await connection.workflowService
      .registerNamespace({
        namespace: devNamespace,
        workflowExecutionRetentionPeriod: { seconds: retentionSeconds as never },
      })
      .catch(unlessItExists);
    if (!(await isHealthy(address))) return false;
    const { missing } = await registerSearchAttributes(connection, devNamespace);
    return missing.length === 0;
  } finally {
    await connection.close();
  }
}

function unlessItExists(error: unknown): void {
  if (!isGrpcServiceError(error) || grpcStatusOf(error) !== grpcStatus.alreadyExists) throw error;
}

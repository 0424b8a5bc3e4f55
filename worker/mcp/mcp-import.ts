import { readDefinitions } from '../../activities/mcp/served-definitions';
import { readMcpServers } from '../../definitions/mcp/read-servers';
import { DomainError, redactSecrets } from '../../domain/kernel';
import { type ImportReport, type ImportRequest, importRequestSchema } from '../../domain/skill';
import { openMcpServers } from './mcp-servers';

/**
 * Reads prompts and skills of an MCP server, which it reaches as a worker does, and sends them to the parent process.
 * Argument: the configuration file. The first message of the parent says what to read.
 */
async function main(file: string, request: ImportRequest): Promise<ImportReport> {
  const { servers } = await readMcpServers(file, process.env);
  const pool = openMcpServers({ mcpServers: servers }, () => undefined);
  try {
    return {
      definitions: [...(await pool.use(request.server, (connection) => readDefinitions(connection, request)))],
    };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { failure: { type: error.type, message: redactSecrets(error.message) } };
  } finally {
    await pool.close();
  }
}

process.once('message', (message) => {
  main(process.argv[2] ?? '', importRequestSchema.parse(message)).then(
    (report) => {
      process.send?.(report, () => process.exit(0));
    },
    (error: unknown) => {
      const reason = redactSecrets(error instanceof Error ? error.message : String(error));
      process.stderr.write(`${reason}\n`, () => process.exit(1));
    },
  );
});

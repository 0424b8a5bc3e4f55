import { headline, plural } from '../../client/format';
import type { ReadMcpServers } from '../../definitions/mcp/read-servers';
import { defaultLimits } from '../../domain/agent';
import type { ProbedServer, ProbedTool } from '../../domain/mcp';
import { deferredServers } from '../../domain/tool';
import { columns } from '../screen/table';

/** Formats servers and their tools as a table. */
export function listText(servers: readonly ProbedServer[]): string {
  const rows = servers.flatMap((server) =>
    server.failure === null
      ? server.tools.map((tool) => [server.server, ...toolCells(tool)])
      : [[server.server, '–', '–', '–', `not available: ${server.failure.message}`]],
  );
  return [
    columns([['SERVER', 'TOOL', 'TOKENS', 'REPEAT', 'DESCRIPTION'], ...rows]),
    '',
    ...servers.map(totalLine),
    ...deferralLines(servers),
  ].join('\n');
}

/** Says what an agent that may use all these tools would have to find first. */
function deferralLines(servers: readonly ProbedServer[]): string[] {
  const { maxToolTokens } = defaultLimits;
  const deferred = deferredServers(servers, maxToolTokens);
  if (deferred.length === 0) return [];
  const names = deferred.join(', ');
  return [
    '',
    `An agent that may use all of them finds those of ${names} with find_tool: the descriptions exceed ${maxToolTokens} tokens (docs/mcp.md).`,
  ];
}

function toolCells({ tool, tokens, safeToRepeat, description }: ProbedTool): string[] {
  return [tool, String(tokens), safeToRepeat ? 'safe' : 'once', headline(description)];
}

/** Formats one server with the complete descriptions and schemas of its tools. */
export function serverText(server: ProbedServer): string {
  const tools = server.tools.flatMap(({ tool, name, id, tokens, safeToRepeat, description, inputSchema }) => [
    '',
    `${tool}  (${plural(tokens, 'token')}, ${safeToRepeat ? 'safe to repeat' : 'tried once'})`,
    `  called as ${name}, pinned as ${id}`,
    ...description.split('\n').map((line) => `  ${line}`),
    ...JSON.stringify(inputSchema, null, 2)
      .split('\n')
      .map((line) => `  ${line}`),
  ]);
  return [...checkLines(server), ...tools].join('\n');
}

/** Formats what connecting to a server showed: one line, and one for each problem. */
export function checkLines(server: ProbedServer): string[] {
  const { failure, problems } = server;
  if (failure !== null) return [`✗ ${server.server}: ${failure.type}: ${failure.message}`];
  return [
    `${problems.some(({ isSkipped }) => isSkipped) ? '!' : '✓'} ${totalLine(server)}`,
    ...problems.map(({ tool, message, isSkipped }) => {
      const what = tool === '' ? 'a tool' : `"${tool}"`;
      return `    ${isSkipped ? 'skipped' : 'note'}: ${what}: ${message}`;
    }),
  ];
}

function totalLine({ server, type, milliseconds, info, tools, failure }: ProbedServer): string {
  if (failure !== null) return `${server}: not available`;
  const tokens = tools.reduce((sum, tool) => sum + tool.tokens, 0);
  const about = [info.name, info.version].filter((part) => part !== undefined).join(' ');
  const protocol = info.protocol === undefined ? '' : `, protocol ${info.protocol}`;
  const who = about === '' ? type : `${about}, ${type}`;
  return `${server}: ${plural(tools.length, 'tool')}, about ${plural(tokens, 'token')} per request, ready in ${milliseconds} ms (${who}${protocol})`;
}

/** Whether a server can't be used, or not all of its tools. */
export function hasProblems({ failure, problems }: ProbedServer): boolean {
  return failure !== null || problems.some(({ isSkipped }) => isSkipped);
}

/** Describes what is wrong with a configuration file, or that it has nothing. */
export function configurationProblems({ file, exists, servers, disabled, problems }: ReadMcpServers): string[] {
  const ignored = problems.map(({ server, message }) =>
    server === '' ? `${file}: ${message}` : `${file}: "${server}" is ignored: ${message}`,
  );
  const off = disabled.map((name) => `${file}: "${name}" is disabled`);
  if (Object.keys(servers).length + ignored.length + off.length > 0) return [...ignored, ...off];
  const why = exists
    ? `${file} names no MCP servers.`
    : `The file ${file} does not exist, so this folder has no MCP servers.`;
  return [`${why} Its format is described in docs/mcp.md.`];
}

// MCP servers: their configuration, who may use which of their tools, and what is pinned of them.
export { cleanText as cleanServerText } from './clean-text';
export { descriptionTokens } from '../tool';
export { describeTools, type DescribedTools, toolHash } from './describe-tool';
export { McpError, unknownServer, unknownTool } from './errors';
export { expandVariables, type Variables } from './expand-variables';
export { allTools, mayGrant, type McpGrants, mcpGrantsSchema, mergeGrants, parseGrant } from './grants';
export {
  type HttpServerConfig,
  type McpServerConfig,
  type McpServerEntry,
  type McpServersConfig,
  type ParsedServer,
  parseServer,
  secretsOfServer,
  type StdioServerConfig,
} from './server-config';
export { type ProbedServer, type ProbedTool, probeReportSchema } from './probe';
export { readResult, type ResultPart } from './read-result';
export { isMcpToolName, mcpToolName } from './tool-name';

import { plural } from '../../client/format';
import { mcpFileIn, readMcpServers } from '../../definitions/mcp/read-servers';
import type { Settings } from '../../temporal-config/node/settings';
import type { Check } from '../service/checks';
import { configurationProblems } from './mcp-text';

/** Reads the configuration of MCP servers, without connecting to them: that would start programs. */
export function mcpCheck(settings: () => Settings): Check {
  return {
    name: 'MCP servers',
    async run() {
      const named = settings().mcpConfig;
      const read = await readMcpServers(named ?? mcpFileIn(process.cwd()), process.env);
      const servers = Object.entries(read.servers).map(([name, { type }]) => `${name} (${type})`);
      const detail = servers.length === 0 ? 'none' : `${servers.join(', ')}; connect to them with: baton mcp check`;
      if (!read.exists && named !== undefined)
        return { state: 'fail', detail: `${named} does not exist`, fix: 'Correct BATON_MCP_CONFIG, or unset it.' };
      if (read.problems.length === 0) return { state: 'ok', detail };
      const ignored = `ignored: ${plural(read.problems.length, 'problem')}`;
      return { state: 'warn', detail: `${detail}; ${ignored}`, fix: configurationProblems(read).join('; ') };
    },
  };
}

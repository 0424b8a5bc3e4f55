import type { Tool } from '../../activities/tool/define-tool';
import { parseSkill } from '../../domain/skill';

/** A tool as if an MCP server had it, without a server: it answers with its name and input. */
function serverTool(server: string, name: string, description: string, isSafe = true): Tool {
  return {
    description: {
      name: `mcp__${server}__${name}`,
      id: `mcp/${server}/${name}#0`,
      description,
      inputSchema: { type: 'object', properties: { text: { type: 'string' } }, additionalProperties: false },
      success: 'What the server answers.',
      cost: 'One request.',
      safeToRepeat: isSafe,
      mcp: { server, tool: name, hash: '0' },
    },
    run: (input) => Promise.resolve({ message: `${name} got ${JSON.stringify(input)}` }),
  };
}

/** Tools of two servers: a large one, whose descriptions have about 100 tokens each, and a small one. */
export const serverTools: readonly Tool[] = [
  serverTool(
    'shop',
    'create_order',
    `Creates an order for a customer. ${'Orders have lines and prices. '.repeat(8)}`,
    false,
  ),
  serverTool('shop', 'list_orders', `Lists the orders of a customer. ${'Newest first, with their prices. '.repeat(8)}`),
  serverTool('shop', 'cancel_order', `Cancels an order. ${'It must not have been delivered. '.repeat(8)}`, false),
  ...Array.from({ length: 27 }, (_, index) =>
    serverTool('shop', `report_${index}`, `Prints report number ${index}. ${'It is about the stock. '.repeat(12)}`),
  ),
  serverTool('clock', 'now', 'Says what time it is.'),
];

const skillNamed = (name: string, tools: readonly string[], more: object = {}): Parameters<typeof parseSkill>[0] => ({
  ...more,
  name,
  description: 'Answers.',
  systemPrompt: 'Answer.',
  tools,
  output: 'text',
});
const allNames = serverTools.map(({ description }) => description.name);
/** Skills with a few of these tools, with all of them, and with all tools of a real server. */
export const sellingSkills = [
  skillNamed('seller', ['mcp__shop__create_order', 'mcp__clock__now']),
  skillNamed('manager', allNames),
  skillNamed('guest', [], { mcp: { everything: '*' } }),
].map((value) => {
  const parsed = parseSkill(value);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.skill;
});

const { join } = require('node:path');
const { root, table } = require('./source.js');

const built = (...path) => require(join(root, 'dist', ...path));

/** Tools that workflow code runs itself. */
function engineTools() {
  const { describeDispatchSubagent } = built('domain', 'dispatch', 'dispatch-subagent.js');
  const { describeDispatchSubagents } = built('domain', 'dispatch', 'dispatch-subagents.js');
  const { describeDispatchSkill } = built('domain', 'dispatch', 'dispatch-skill.js');
  const { describeRequestTool } = built('domain', 'tool', 'request-tool.js');
  return [describeDispatchSubagent(), describeDispatchSubagents(), describeDispatchSkill([]), describeRequestTool()];
}

function row({ name, description, inputSchema, safeToRepeat }) {
  const properties = inputSchema.properties ?? {};
  const required = inputSchema.required ?? [];
  const parameters = Object.keys(properties).map((key) => `\`${key}\`${required.includes(key) ? '' : ' (optional)'}`);
  return [`\`${name}\``, parameters.join(', '), description.replace(/\s+/g, ' '), safeToRepeat ? 'yes' : 'no'];
}

module.exports = function toolsPage() {
  const { builtInTools } = built('activities', 'tools', 'index.js');
  const head = ['tool', 'parameters', 'description for the model', 'safe to repeat'];
  return [
    '# Tools',
    'The tools that agents can call, unless a skill or a delegation restricts them. A tool that is not safe to repeat is tried once. To add your own: [extending Baton](../extending.md#add-a-tool).',
    '## Run by workers',
    table(
      head,
      builtInTools.map(({ description }) => row(description)),
    ),
    '## Run by workflows',
    table(head, engineTools().map(row)),
  ].join('\n\n');
};

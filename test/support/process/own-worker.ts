import { projectMcpServers, projectSkills, readSettings, runWorker } from '../../../worker';

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** A worker as a project writes it: it prints what it is given to print, and nothing else. */
async function main(): Promise<void> {
  const folder = process.cwd();
  await runWorker({
    settings: readSettings(),
    apiKey: 'scripted',
    extensions: {
      skills: projectSkills(folder, say),
      mcpServers: await projectMcpServers(folder, say),
    },
    log: say,
  });
}

void main();

import { writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { contentPolicy, readPageFile } from '../../../cli/ui/http/page-file';
import type { Recording, RecordedPageAgent } from '../../../page/protocol';
import type { GeneratedSource } from '../../support/ui/generated-source';

/** Writes a page with the data of a run inside, and returns its address. */
export async function writeRecordedPage(
  file: string,
  source: GeneratedSource,
  runId: string,
  recordedAt: number,
): Promise<string> {
  const run = source.view(runId);
  const agents: Record<string, string> = {};
  for (const { path } of run.agents) {
    const agent: RecordedPageAgent = {
      entries: await source.entries(runId, path, { limit: 1_000 }),
      prompt: await source.prompt(runId, path),
      budget: await source.budget(runId, path),
      events: await source.events(runId, path),
    };
    agents[path] = gzipSync(JSON.stringify(agent)).toString('base64');
  }
  const hello = { ...source.about(), version: '0', epoch: '', readOnly: true, now: recordedAt };
  const [files, artifacts] = [await source.files(runId), await source.artifacts(runId)];
  const recording: Recording = { recordedAt, hello, run, agents, files, artifacts };
  const json = JSON.stringify(recording).replaceAll('<', '\\u003c');
  const html = readPageFile()?.html ?? '';
  const data = `<script type="application/json" id="recording">${json}</script>`;
  const policy = `<meta http-equiv="Content-Security-Policy" content="${contentPolicy(html, "'none'")}">`;
  await writeFile(
    file,
    html.replace('<!--policy-->', () => policy).replace('<!--recording-->', () => data),
  );
  return pathToFileURL(file).href;
}

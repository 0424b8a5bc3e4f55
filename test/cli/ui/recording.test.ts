import { mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { PrivateFile } from '../../../cli/report/private-file';
import { recordRun } from '../../../cli/report/record-run';
import { RecordedPage } from '../../../cli/report/recorded-page';
import type { RecordedPageAgent, Recording } from '../../../page/protocol';
import type { PageSource } from '../../../cli/ui/page-source';
import { generatedSource } from '../../support/ui/start-ui';

const html = '<head><!--policy--><style>a{}</style></head><body><!--recording--><script>1</script></body>';

function unpack(packed: string): RecordedPageAgent {
  return JSON.parse(gunzipSync(Buffer.from(packed, 'base64')).toString('utf8')) as RecordedPageAgent;
}

/** Records a run, and collects the page that it is written as. */
async function record(source: PageSource, runId: string, maxBytes?: number): Promise<Recording & { page: string }> {
  const agents: Record<string, string> = {};
  let page = '';
  const written = new RecordedPage(html, (piece) => {
    page += piece;
    return Promise.resolve();
  });
  const writeAgent = (path: string, packed: string): Promise<void> => {
    agents[path] = packed;
    return written.agent(path, packed);
  };
  const run = await recordRun(source, runId, { version: '1.0.0' }, writeAgent, maxBytes);
  await written.end(run);
  return { ...run, agents, page };
}

test('a recording has what the page would be answered, agent by agent', async () => {
  const source = generatedSource({ agents: 12, turns: 120, failures: 2 });
  const recording = await record(source, 'r-generated');
  const { agents, gaps } = recording.run;
  expect(agents).toEqual(source.view('r-generated').agents);
  expect(gaps).toEqual([]);
  expect(recording.hello).toMatchObject({ readOnly: true, version: '1.0.0', user: 'ada' });
  expect(Object.keys(recording.agents).sort()).toEqual(agents.map(({ path }) => path).sort());
  const { entries, prompt, budget, events } = unpack(recording.agents['']!);
  expect(entries.entries).toEqual((await source.entries('r-generated', '', { limit: 1_000 })).entries);
  expect([entries.total, prompt?.isIntact, budget?.own.turns, events.events.length]).toEqual([11, true, 10, 10]);
  expect(recording.files.files).toHaveLength(3);
  expect(recording.artifacts.artifacts).toHaveLength(2);
});

test('texts beyond the limit are left out, and the page says so', async () => {
  const source = generatedSource({ agents: 12, turns: 120 });
  const { run, agents } = await record(source, 'r-generated', 5_000);
  expect(run.gaps).toEqual([expect.stringMatching(/^\d+ texts are not whole here/)]);
  const kept = Object.values(agents).map((packed) => unpack(packed).prompt);
  // The root comes first.
  expect([unpack(agents['']!).prompt === null, kept.includes(null)]).toEqual([false, true]);
});

test('a run that does not exist is an error', async () => {
  await expect(record(generatedSource(), 'other')).rejects.toThrow('Run "other" does not exist.');
});

test('no text can end the element it is in, and the page may send nothing', async () => {
  const hostile = '</script><script>alert(1)</script><!-- $& $1 ';
  const source = generatedSource({ agents: 3, hostile });
  const { page, ...recording } = await record(source, 'r-generated');
  expect(page.match(/<script/g)).toHaveLength(2);
  expect(page.match(/<\/script/g)).toHaveLength(2);
  expect(page).not.toContain('alert(1)</');
  const data = /<script type="application\/json" id="recording">(.*?)<\/script>/.exec(page)?.[1] ?? '';
  expect(JSON.parse(data)).toEqual(JSON.parse(JSON.stringify(recording)));
  expect(recording.run.agents[0]!.headline).toContain(hostile);
  const policy = /<meta http-equiv="Content-Security-Policy" content="([^"]*)">/.exec(page)?.[1];
  expect(policy).toContain("default-src 'none'; script-src 'sha256-a4ayc/80/OGda4BO/1o/V0etpOqiLx1JwB5S3beHW0s='");
  expect(policy).toContain("connect-src 'none'");
  expect(policy).not.toContain('frame-ancestors');
});

test('a report replaces a file only when it is whole, and nobody else can read it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'baton-report-'));
  const path = join(folder, 'report.html');
  await writeFile(path, 'old', { mode: 0o644 });
  const abandoned = await PrivateFile.create(path);
  await abandoned.write('half');
  await abandoned.discard();
  expect([await readdir(folder), await readFile(path, 'utf8')]).toEqual([['report.html'], 'old']);
  const long = 'ä'.repeat(300_000);
  const file = await PrivateFile.create(path);
  await Promise.all([file.write(long), file.write('1'), file.write(long), file.write('2')]);
  expect(await file.finish()).toBe(1_200_002);
  expect(await readFile(path, 'utf8')).toBe(`${long}1${long}2`);
  expect([await readdir(folder), (await stat(path)).mode & 0o777]).toEqual([['report.html'], 0o600]);
  await expect(PrivateFile.create(join(folder, 'missing', 'x.html'))).rejects.toThrow("The report can't be written");
});

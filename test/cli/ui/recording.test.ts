import { gunzipSync } from 'node:zlib';
import { recordRun } from '../../../cli/report/record-run';
import { recordedPage } from '../../../cli/report/recorded-page';
import type { RecordedPageAgent, Recording } from '../../../page/protocol';
import { generatedSource } from '../../support/ui/start-ui';

const html = '<head><!--policy--><style>a{}</style></head><body><!--recording--><script>1</script></body>';

function unpack(packed: string): RecordedPageAgent {
  return JSON.parse(gunzipSync(Buffer.from(packed, 'base64')).toString('utf8')) as RecordedPageAgent;
}

test('a recording has what the page would be answered, agent by agent', async () => {
  const source = generatedSource({ agents: 12, turns: 120, failures: 2 });
  const recording = await recordRun(source, 'r-generated', { version: '1.0.0' });
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
  const { run, agents } = await recordRun(source, 'r-generated', { version: '1.0.0' }, 5_000);
  expect(run.gaps).toEqual([expect.stringMatching(/^\d+ texts are not whole here/)]);
  const kept = Object.values(agents).map((packed) => unpack(packed).prompt);
  // The root comes first.
  expect([unpack(agents['']!).prompt === null, kept.includes(null)]).toEqual([false, true]);
});

test('a run that does not exist is an error', async () => {
  await expect(recordRun(generatedSource(), 'other', { version: '1' })).rejects.toThrow('Run "other" does not exist.');
});

test('no text can end the element it is in, and the page may send nothing', async () => {
  const hostile = '</script><script>alert(1)</script><!-- $& $1 ';
  const source = generatedSource({ agents: 3, hostile });
  const page = recordedPage(html, await recordRun(source, 'r-generated', { version: '1.0.0' }));
  expect(page.match(/<script/g)).toHaveLength(2);
  expect(page.match(/<\/script/g)).toHaveLength(2);
  expect(page).not.toContain('alert(1)</');
  const data = /<script type="application\/json" id="recording">(.*?)<\/script>/.exec(page)?.[1] ?? '';
  expect((JSON.parse(data) as Recording).run.agents[0]!.headline).toContain(hostile);
  const policy = /<meta http-equiv="Content-Security-Policy" content="([^"]*)">/.exec(page)?.[1];
  expect(policy).toContain("default-src 'none'; script-src 'sha256-a4ayc/80/OGda4BO/1o/V0etpOqiLx1JwB5S3beHW0s='");
  expect(policy).toContain("connect-src 'none'");
  expect(policy).not.toContain('frame-ancestors');
});

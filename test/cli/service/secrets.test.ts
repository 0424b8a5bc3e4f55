import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fail } from '../../../testing/scripted-model';
import { runWorkflowId } from '../../../domain/kernel';
import { historiesOf } from '../../support/replay';
import { startBaton, type RunningCommand } from '../support/process';
import { Stand } from '../support/stand';

/** Each is recognised by a different rule. None may be found anywhere but at the provider. */
const secrets = [
  'sk-ant-api03-verysecretkey0123',
  'AKIAIOSFODNN7EXAMPLE',
  'AIzaSyA1234567890abcdefghijklmnopqrst',
  'ghp_abcdefghijklmnopqrstuvwxyz0123456789',
  'xoxb-123456789012-abcdefghijkl',
  'eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0NTY3.SflKxwRJSMeKKF2QT4fw',
  'bearervalue0123456789',
  'dXNlcjpwYXNzd29yZA==',
  'queryvalue0123456789',
  'MIIEowIBAAKCAQEA0123456789',
  'the workers own key 42',
  'the token of the collector',
  'ACME-77-internal',
];
const [anthropic, amazon, google, github, slack, jwt, bearer, basic, query, pem, own, token, acme] = secrets;
const told = [
  `Key ${anthropic} or ${amazon} or ${google}, ${github}, ${slack}, ${jwt} refused.`,
  `Sent: Authorization: Bearer ${bearer}; then Basic ${basic} to https://api.example/v1?key=${query}&x=1.`,
  `-----BEGIN PRIVATE KEY-----\n${pem}\n-----END PRIVATE KEY----- and ${own}, ${token}, ${acme}.`,
].join(' ');

describe('secrets that a provider repeats in its errors', () => {
  let stand: Stand;
  let worker: RunningCommand;
  beforeAll(async () => {
    stand = await Stand.start(
      ({ attempt }) => (attempt === 0 ? fail(500, { message: told }) : fail(400, { message: told })),
      {
        withWorker: false,
      },
    );
    const env = {
      ANTHROPIC_API_KEY: own ?? '',
      OTEL_EXPORTER_OTLP_HEADERS: `x-team=${encodeURIComponent(token ?? '')}`,
      BATON_REDACT: 'ACME-[0-9]+-\\w+',
      BATON_LOG_LEVEL: 'DEBUG',
    };
    worker = startBaton(['worker'], stand.surroundings(env));
    await worker.said('Worker on task queue');
  });
  afterAll(async () => {
    await worker.kill('SIGTERM');
    await stand.close();
  });

  test('are in no history, log, explanation or report', async () => {
    const runId = stand.newId();
    const ended = await stand.baton('run', 'Look around', '--id', runId, '--follow');
    const why = await stand.baton('why', runId);
    const outputs = [
      ended,
      why,
      await stand.baton('show', runId),
      await stand.baton('tail', runId, '--json'),
      await stand.baton('report', runId, '--plain', '--out', 'report.html'),
    ];
    const report = await readFile(join(stand.folder, 'report.html'), 'utf8');
    const histories = await historiesOf(stand.client, runWorkflowId(runId));
    const recorded = Buffer.from(JSON.stringify(histories)).toString('utf8');
    const everything = [
      ...outputs.map(({ stdout, stderr }) => `${stdout}${stderr}`),
      report,
      worker.stderr,
      recorded,
    ].join('\n');
    expect(why.stdout).toContain('Model.BadRequest');
    expect(why.stdout).toContain('[secret removed]');
    expect(worker.stderr).toContain('[secret removed]');
    for (const secret of secrets) {
      expect(everything).not.toContain(secret);
      expect(everything).not.toContain(Buffer.from(secret).toString('base64').slice(0, 12));
    }
  });

  test('a pattern that is not valid stops the worker with the name of the setting', async () => {
    const { exitCode, stderr } = await stand.batonWith({ BATON_REDACT: '(' }, 'worker');
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain('BATON_REDACT: "(" is not a regular expression');
  });
});

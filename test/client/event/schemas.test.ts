import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { batonRun } from '../../../client';
import { hang, refuse, say, type Script, useTool, useTools } from '../../../testing/scripted-model';
import { batch } from '../../support/batches';
import { depthOf, dispatch } from '../../support/delegation-script';
import { Harness } from '../../support/harness';
import { operated } from '../../support/parked';
import { projectRoot } from '../../support/paths';
import { until } from '../../support/until';
import { recordedFiles } from '../../replay/recorded';
import { sentIn } from '../../replay/sent';

// What clients in other languages receive has to fit the schemas that they have.

const folder = join(projectRoot, 'docs', 'reference', 'schemas');

function schema(name: string): z.ZodType {
  const json = JSON.parse(readFileSync(join(folder, `${name}.schema.json`), 'utf8')) as Parameters<
    typeof z.fromJSONSchema
  >[0];
  return z.fromJSONSchema(json);
}

function problems(name: string, value: unknown): unknown {
  return schema(name).safeParse(JSON.parse(JSON.stringify(value))).error?.issues ?? [];
}

const script: Script = (call) => {
  if (depthOf(call) > 0) return call.attempt === 0 && call.systemText.includes('stumble') ? refuse() : say('Fine.');
  return (
    [
      useTools([
        { name: 'read_file', input: { path: 'no-such-file' } },
        { name: 'add_note', input: { text: 'One.', kind: 'decision' } },
        { name: 'write_artifact', input: { name: 'A.md', content: '# A' } },
      ]),
      useTool('dispatch_subagents', batch(['look', 'stumble'])),
      useTool('dispatch_subagent', dispatch({ prompt_key: 'unheard-of' })),
    ][call.turn] ?? (call.systemText.includes('Wait.') ? hang() : say('Done.'))
  );
};

describe('JSON Schemas of other languages', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await Harness.start(script, { replayed: false });
  });
  afterAll(() => harness.close());

  test('fit every event, Query, Update and result of a run with an incident', async () => {
    const { client } = harness;
    const run = await harness.startRun({ onFailure: 'hold' });
    const handle = batonRun(client, run.workflowId.slice('run/'.length));
    const child = await until(async () => {
      const { children } = await handle.tree();
      return children.find(({ snapshot }) => (snapshot?.incidents.length ?? 0) > 0);
    });
    const agent = operated(client, child.workflowId);
    const { id: incident } = await agent.incident();
    expect(problems('snapshot.result', await agent.snapshot())).toEqual([]);
    expect(problems('operator-decision.input', { incident, action: 'retry' })).toEqual([]);
    expect(problems('operator-decision.input', { incident, action: 'dance' })).not.toEqual([]);
    expect(problems('steer.result', await handle.steer('Look at the tests.'))).toEqual([]);
    expect(problems('operator-decision.result', await agent.decide({ incident, action: 'retry' }))).toEqual([]);
    expect(problems('run-workflow.result', await run.result())).toEqual([]);
    for (const name of ['snapshot', 'files', 'session'])
      expect([name, problems(`${name}.result`, await run.query(name))]).toEqual([name, []]);
    expect(problems('before-turn.result', await run.query('beforeTurn', { turn: 2 }))).toEqual([]);

    const kinds = new Set<string>();
    for await (const event of handle.events()) {
      kinds.add(event.kind);
      expect([event.kind, problems('event', event)]).toEqual([event.kind, []]);
    }
    expect([...kinds]).toEqual(
      expect.arrayContaining([
        'turn',
        'tool',
        'agent.parked',
        'delegation.completed',
        'session.event',
        'agent.steered',
      ]),
    );
    expect(problems('event', { at: 'now', agent: 'run/x', kind: 'nothing' })).not.toEqual([]);
  });

  test.each(recordedFiles())('fit every payload of %s', (file) => {
    for (const { name, side, value } of sentIn(file)) {
      const page = `${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.${side}`;
      // Activities are internal, and an execution passes its state on to the next one.
      if (!existsSync(join(folder, `${page}.schema.json`)) || 'resume' in Object(value)) continue;
      expect([page, problems(page, value)]).toEqual([page, []]);
    }
  });
});

import type { Client } from '@temporalio/client';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createActivities } from '../../../activities/create-activities';
import type { ModelPort } from '../../../activities/dependencies';
import type { AgentActivities } from '../../../activities/interface';
import { builtInTools } from '../../../activities/tool/builtin';
import { defaultLimits, type OpenedAgent } from '../../../domain/agent';
import { type PreparedDelegation, type PreparedTogether, unpackPrepared } from '../../../domain/delegation';
import type { PrepareDelegationsInput, PrepareSkillInput } from '../../../domain/delegation/prepare';
import { renderPrompt } from '../../../domain/prompt';
import { type SkillDefinition, skillHash } from '../../../domain/skill';
import { outputFormatSchema } from '../../../domain/prompt/output';
import { type BlobRef, mediaTypes, type RunStore, type Store } from '../../../domain/store';
import { getJson } from '../../../store/blobs';
import { openFileStore } from '../../../store/file/open-file-store';
import { getPromptRecord, loadPrompt } from '../../../store/prompts';
import { TranscriptCache } from '../../../store/transcript/cache';
import { Transcripts } from '../../../store/transcript/transcripts';
import { quietEnvironment } from '../../support/activity-environment';
import { shipped, writeProject } from '../../support/skill-project';

const model = { name: 'claude-sonnet-5-5', maxTokens: 4_000, window: 200_000 };

describe('a skill that is not dispatched by an agent', () => {
  let folder: string;
  let store: Store;
  let runStore: RunStore;
  let activities: AgentActivities;
  let opened: OpenedAgent;
  let skills: readonly SkillDefinition[];
  let input: PrepareSkillInput;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'baton-skill-'));
    store = await openFileStore(join(folder, 'store'));
    runStore = store.forRun('r1');
    skills = await shipped();
    activities = createActivities({
      store,
      model: {} as ModelPort,
      tools: builtInTools,
      prompts: [],
      skills: () => Promise.resolve(skills),
      client: {} as Client,
      searchAttributes: false,
      place: () => Promise.resolve(undefined),
    });
    opened = await quietEnvironment().run(activities.openRun, { runId: 'r1', goal: 'x', model, limits: defaultLimits });
    const project = await writeProject(join(folder, 'project'));
    const location = { runId: 'r1', storeId: store.id };
    const root: BlobRef = await quietEnvironment().run(activities.mountWorkspace, { ...location, folder: project });
    input = {
      ...location,
      skill: 'executor',
      input: { goal: 'Add OAuth.' },
      skills: opened.skills!,
      prompts: opened.prompts,
      tools: opened.toolList,
      workspace: { root, changes: [] },
      snapshot: { inline: snapshotWith([await plan('Change src/login.ts.')]) },
      settings: { model, limits: defaultLimits },
      depth: 0,
      ordinal: 0,
      searchAttributes: false,
    };
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const plan = async (text: string): Promise<object> => {
    return { name: 'PLAN.md', ref: await runStore.put(Buffer.from(text), mediaTypes.markdown), by: 'planner' };
  };
  const snapshotWith = (artifacts: readonly object[]) => ({
    snapshotVersion: '1',
    version: 1,
    versions: {},
    slices: { artifacts: artifacts as never },
  });
  const prepare = (more: Partial<PrepareSkillInput> = {}): Promise<PreparedDelegation> =>
    quietEnvironment().run(activities.prepareSkill, { ...input, ...more });
  const ready = async (more: Partial<PrepareSkillInput> = {}) => {
    const prepared = await prepare(more);
    if (!prepared.ok) throw new Error(prepared.message);
    return prepared;
  };

  test('gets only its composite prompt, composed from the available files and artifacts', async () => {
    const { opened: child, ...rest } = await ready();
    const text = Buffer.from(await loadPrompt(runStore, child.prompt, 'test')).toString('utf8');
    expect(text).toMatch(/^# SYSTEM\n\nYou are an executor\./);
    expect(text).toContain('# CONTEXT (Injected)\n\n<mission_protocol>\nChange src/login.ts.\n</mission_protocol>');
    expect(text).toContain('<file path="src/login.ts">');
    expect(text).not.toContain('PARENT PROMPT');
    expect(rest).toMatchObject({ promptNs: 'skills', promptKey: 'executor', headline: 'Add OAuth.' });
  });

  test('gets the tools, settings and output format of its skill, and the size of what was injected', async () => {
    const { opened: child, settings } = await ready();
    const executor = skills.find(({ name }) => name === 'executor')!;
    expect([...child.tools.names].sort()).toEqual([...executor.tools, 'request_tool'].sort());
    expect(settings).toEqual({ limits: { ...defaultLimits, maxTurns: 80 }, handoff: { at: 0.6, max: 8 } });
    expect(child).toMatchObject({
      skill: 'executor',
      skills: opened.skills,
      injectedTokens: expect.any(Number) as unknown,
    });
    expect(child.injectedTokens).toBeGreaterThan(20);
    expect(await getJson(runStore, child.output!, outputFormatSchema, 'test')).toEqual(executor.output);
  });

  test('has a record with the hash of the skill, from which its prompt can be rebuilt', async () => {
    const { opened: child } = await ready();
    const { origin, parameters, skill } = await getPromptRecord(runStore, child.prompt, 'test');
    if (origin.kind !== 'rendered') throw new Error('It has a parent');
    const { definition, headingLevel = 2 } = origin;
    expect(renderPrompt(definition, { parameters, headingLevel }).hash).toBe(child.prompt.hash);
    expect(skill).toEqual({ name: 'executor', hash: skillHash(skills.find(({ name }) => name === 'executor')!) });
  });

  test('is the same delegation when it is prepared again, and a different one at another position', async () => {
    const first = await ready();
    expect(await ready()).toEqual(first);
    expect((await ready({ ordinal: 1 })).delegationId).not.toBe(first.delegationId);
  });

  test('reads long input texts from the store, and may have its own task', async () => {
    const report = { ref: await runStore.put(Buffer.from('All done.'), mediaTypes.text) };
    const { opened: child } = await ready({ skill: 'verifier', texts: { report }, task: 'Look twice.' });
    const text = Buffer.from(await loadPrompt(runStore, child.prompt, 'test')).toString('utf8');
    expect(text).toContain('Report: "All done."');
    expect(text).toContain('# TASK\n\nLook twice.\n');
  });

  test('withholds the prompt of the agent that dispatches it', async () => {
    const call = { id: 'c1', name: 'dispatch_skill' };
    const payload = { skill: 'researcher', input: { goal: 'How does login work?' } };
    const { runId, storeId, settings, ordinal, workspace, snapshot } = input;
    const asked: PrepareDelegationsInput = {
      ...{ runId, storeId, settings, workspace, snapshot },
      calls: [{ call: { ...call, input: { text: JSON.stringify(payload) } }, ordinal }],
      parent: { agentId: 'run/r1', delegationId: null, depth: 0, opened },
      snapshotSummary: '',
      snapshotVersion: '1',
      at: '2026-01-02T03:04:05.000Z',
    };
    const result: PreparedTogether = await quietEnvironment().run(activities.prepareDelegations, asked);
    const [prepared] = unpackPrepared(opened, result);
    if (prepared?.ok !== true) throw new Error(prepared?.message);
    const { opened: child } = prepared;
    const text = Buffer.from(await loadPrompt(runStore, child.prompt, 'test')).toString('utf8');
    expect(text).toContain('#### CONTEXT (Injected)\n\n<current_constraints>\nNo new dependencies.');
    expect(text).toContain('- The whole parent prompt (');
    expect(child.tools.names).not.toContain('write_file');
    const transcript = await new Transcripts(runStore, new TranscriptCache()).load(child.opening);
    expect(transcript.opening.output).toEqual(skills.find(({ name }) => name === 'researcher')!.output);
  });

  test.each([
    [
      'a source that is not there',
      { snapshot: { inline: snapshotWith([]) }, ordinal: 7 },
      /PLAN\.md: .*does not exist/,
    ],
    ['an input that the skill does not take', { input: {} }, /input\.goal/],
    ['a skill that the run does not have', { skill: 'wizard' }, /Unknown skill "wizard"\. Available: executor/],
  ])('is refused for %s', async (_, more, message) => {
    expect(await prepare(more)).toMatchObject({ ok: false, message: expect.stringMatching(message) as unknown });
  });
});

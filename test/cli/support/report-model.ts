import type { ReportAgent, ReportModel } from '../../../client/report/report-model';

export const hostile =
  '</pre></details><script>document.title = "owned"</script><img src=x onerror="document.title=1">';
const start = Date.UTC(2026, 10, 16, 3, 15, 22);

/** A run of many agents in which all model output is hostile. */
export function hostileModel(): ReportModel {
  const root = agent('run/r-1', 0);
  const children = Array.from({ length: 14 }, (_, at) => agent(`run/r-1/4f7s9k2m1n8p6q3r5t0v2w4x${at + 10}`, at));
  const deep = agent(`${children[0]!.workflowId}/zz${'x'.repeat(24)}`, 3);
  return {
    runId: 'r-1',
    goal: `Summarise ${hostile}`,
    title: `Summarise ${hostile}`,
    status: 'completed',
    madeAt: start + 90_000,
    startedAt: start,
    endedAt: start + 80_000,
    answer: `Forty-two. ${hostile}\n${'wide'.repeat(200)}`,
    agents: [root, ...children, deep],
    artifacts: [
      { name: `notes-${hostile}.md`, bytes: 900, mediaType: 'text/markdown', text: `# ${hostile}`, note: '' },
      { name: 'data.bin', bytes: 9_000_000, mediaType: hostile, text: null, note: 'too large for this page' },
    ],
    gaps: [`A gap: ${hostile}`],
  };
}

const figures = {
  turns: 3,
  usage: { input: 12_345, cacheRead: 98_765, cacheWrite: 4_321, output: 2_222 },
  microUsd: 123_456,
};

function agent(workflowId: string, at: number): ReportAgent {
  const path = workflowId.split('/');
  const depth = path.length - 2;
  const startedAt = start + at * 2_000;
  return {
    workflowId,
    parent: depth === 0 ? null : path.slice(0, -1).join('/'),
    depth,
    headline: `Look into part ${at}: ${hostile}`,
    model: `claude ${hostile}`,
    skill: at % 2 === 0 ? hostile : null,
    status: at === 5 ? 'failed' : 'completed',
    failure: at === 5 ? { type: 'Model.Refused', message: hostile } : null,
    startedAt,
    endedAt: startedAt + 30_000,
    ...figures,
    withDelegations: figures,
    segments: [
      { kind: 'model', from: startedAt, to: startedAt + 9_000, label: `turn 1: ${hostile}`, isError: false },
      { kind: 'tool', from: startedAt + 9_000, to: startedAt + 14_000, label: hostile, isError: at === 3 },
      { kind: 'model', from: startedAt + 14_000, to: startedAt + 29_000, label: 'turn 2: done', isError: false },
    ],
    tools: { [hostile]: 2, read_file: 7 },
    injectedTokens: 4_000,
    activeTokens: 9_000,
    prompt: {
      hash: 'a'.repeat(64),
      bytes: 20_000,
      before: `You are an agent. ${hostile}`,
      parent: depth === 0 ? null : { text: `PARENT ${hostile}`, bytes: 9_000 },
      after: depth === 0 ? '' : `Go on. ${hostile}`,
    },
    fallbacks:
      at === 2 ? [{ turn: 2, from: hostile, to: hostile, type: 'Model.Overloaded', message: hostile, at: '' }] : [],
    incidents: [],
    decisions:
      at === 5 ? [{ incident: 'i1', action: 'skip', by: hostile, note: hostile, at: '2026-11-16T03:16:00Z' }] : [],
    handoffs:
      at === 0
        ? [
            {
              number: 1,
              artifact: hostile,
              discardedTokens: 120_000,
              artifactTokens: 1_500,
              afterCall: 9,
              at: '2026-11-16T03:16:00Z',
            },
          ]
        : [],
  };
}

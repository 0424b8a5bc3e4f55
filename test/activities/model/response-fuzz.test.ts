import { defaultDataConverter } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toFailure } from '../../../activities/failure';
import type { ModelAnswer } from '../../../activities/dependencies';
import { type ApiBlock, toApiMessages } from '../../../activities/model/anthropic-blocks';
import { createAnthropicModel } from '../../../activities/model/anthropic-model';
import { canonicalJson, isFailureType, mapWithLimit, redactSecrets } from '../../../domain/kernel';
import { Gate, type ProviderReport } from '../../../domain/limit';
import { isToolCall, judgeReply, toMessages, usageSchema, whyNotRun, withEstimatedUsage } from '../../../domain/model';
import { validateMessages, validateToolPairs } from '../../../testing/scripted-model/validate/messages';
import { casesOf, fuzzSeed, type Outcome, report } from '../../fuzz/support/target';
import { hostileResponse } from './hostile-generator';
import { requestOf, signal, writeFile } from './support';

const responses = casesOf(5_000);
const atATime = 16;
const seed = fuzzSeed;
/** Each kind of outcome must be at least as frequent as this, to have been tested. */
const leastOutcomes = responses / 125;

/** It is told what headers say about limits, and may never be closed for ever. */
const gate = new Gate({ requestsPerMinute: 1_000_000, tokensPerMinute: 1_000_000_000 }, 0);
const openGate = new Gate({}, 0);
const request = {
  ...requestOf({ tools: [writeFile] }),
  onLimits(report: ProviderReport): void {
    for (const one of [gate, openGate]) {
      one.told(report, 0);
      const waitMs = one.wait(1, 0);
      if (!(waitMs >= 0 && waitMs <= 3_600_000))
        throw new Error(`waits for ${waitMs} ms after ${JSON.stringify(report)}`);
    }
  },
};
const { failureConverter, payloadConverter } = defaultDataConverter;

/** Encodes a failure as the worker does, down to the bytes. There, nothing would catch an error. */
function encodeFailure(error: unknown): void {
  const failure = failureConverter.errorToFailure(toFailure(error, redactSecrets), payloadConverter);
  temporal.api.failure.v1.Failure.encode(failure).finish();
}

/** Puts an accepted answer into a conversation and checks it as strictly as the API would. */
function sendBack({ content, stopReason }: Pick<ModelAnswer, 'content' | 'stopReason'>): void {
  const stored = JSON.parse(canonicalJson({ content, stopReason })) as Pick<ModelAnswer, 'content' | 'stopReason'>;
  const results = stored.content
    .filter(isToolCall)
    .map(({ id }) => ({ callId: id, isError: true, text: whyNotRun(stored, id) }));
  const messages = toMessages(
    [
      { kind: 'opening', firstMessage: 'Begin.', model: request.settings },
      { kind: 'reply', content: stored.content },
      { kind: 'toolResults', results },
      { kind: 'note', text: 'Go on.' },
    ],
    request.settings,
  );
  // Blocks of unknown types are sent back unchanged.
  const isKnown = ({ type }: ApiBlock): boolean => ['text', 'tool_use', 'thinking', 'tool_result'].includes(type);
  const sent = toApiMessages(messages)
    .map((message) => ({ ...message, content: message.content.filter(isKnown).map(withoutExtras) }))
    .filter((message) => message.content.length > 0);
  validateToolPairs(validateMessages(sent));
}

/** The generator adds fields that the API does not know. They are left out here. */
function withoutExtras(block: ApiBlock): unknown {
  const fields = {
    text: ['text'],
    tool_use: ['id', 'name', 'input'],
    thinking: ['thinking', 'signature'],
    tool_result: ['tool_use_id', 'is_error', 'content'],
  }[block.type];
  return { type: block.type, ...Object.fromEntries((fields ?? []).map((name) => [name, block[name]])) };
}

test(`none of ${responses} hostile responses does harm (BATON_FUZZ_SEED=${seed})`, async () => {
  process.stderr.write(`fuzzing the model adapter with BATON_FUZZ_SEED=${seed}\n`);
  const unhandled: unknown[] = [];
  const onUnhandled = (reason: unknown): void => {
    unhandled.push(reason);
  };
  process.on('unhandledRejection', onUnhandled);
  const server = createServer((incoming, response) => {
    response.on('error', () => undefined);
    const number = Number(/^\/(\d+)\//.exec(incoming.url ?? '')?.[1]);
    incoming.resume().on('end', () => {
      hostileResponse(seed + number, response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const outcomes = new Map<string, number>();
  const count = (outcome: string): void => {
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  };
  const tally: { counts: Record<Outcome, number>; slowestMs: number } = {
    counts: { accepted: 0, refused: 0 },
    slowestMs: 0,
  };
  const problems: string[] = [];
  await mapWithLimit(
    Array.from({ length: responses }, (_, number) => number),
    atATime,
    async (number) => {
      const baseUrl = `http://127.0.0.1:${port}/${number}`;
      const model = createAnthropicModel({ apiKey: 'k', baseUrl, idleTimeoutMs: 5_000, maxResponseBytes: 1_000_000 });
      const begun = performance.now();
      try {
        const answer = withEstimatedUsage(await model.reply(request, signal), request);
        usageSchema.parse(answer.usage);
        payloadConverter.toPayload(answer);
        const judgement = judgeReply(answer, request);
        if (judgement.verdict !== 'unusable') sendBack(judgement.answer);
        count(judgement.verdict);
        tally.counts[judgement.verdict === 'unusable' ? 'refused' : 'accepted'] += 1;
      } catch (error) {
        const { type } = error as { type?: string };
        if (!isFailureType(type)) problems.push(`${seed + number}: ${String(error)}`);
        encodeFailure(error);
        count(type ?? 'no type');
        tally.counts.refused += 1;
      }
      tally.slowestMs = Math.max(tally.slowestMs, performance.now() - begun);
    },
  );
  server.closeAllConnections();
  server.close();
  process.off('unhandledRejection', onUnhandled);
  process.stderr.write(`${[...outcomes].map(([name, times]) => `${name} ${times}`).join(', ')}\n`);
  expect(problems).toEqual([]);
  expect(unhandled).toEqual([]);
  report('streams of the Messages API', tally);
  for (const outcome of [
    'usable',
    'repaired',
    'unusable',
    'Model.Unreachable',
    'Model.RateLimited',
    'Model.Overloaded',
  ])
    expect(outcomes.get(outcome)).toBeGreaterThan(leastOutcomes);
}, 3_600_000);

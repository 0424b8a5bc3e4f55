import type { Client } from '@temporalio/client';
import { decodeOptionalFailureToOptionalError } from '@temporalio/common/lib/internal-non-workflow';
import { z } from 'zod';
import { areTurns, expandUsage, openRunActivity, runTurnActivity, turnsOf } from '../../domain/agent';
import { nothingSpent, type PaidCall, type PinnedPrices, type Spending, spendingByAgent } from '../../domain/budget';
import { isFailureType } from '../../domain/kernel';
import { type PriceTable, usageSchema } from '../../domain/model';
import { openRelayActivity } from '../../domain/relay';
import { failureCause } from '../../temporal-config/failure-cause';
import { Decoder, type HistoryEvent, idOf } from '../event/decoder';
import { Histories } from '../event/histories';

const namedModel = z.object({ name: z.string() });
/** The parts of a workflow's start argument, or of the settings in force, that a price depends on. */
const pricedSchema = z.object({
  model: namedModel.partial().optional(),
  prices: z.custom<PriceTable>().optional(),
  models: z.custom<NonNullable<PinnedPrices['models']>>().optional(),
  resume: z
    .object({ progress: z.object({ changes: z.object({ model: namedModel.optional() }).optional() }) })
    .optional(),
});
const openedSchema = z.object({ settings: pricedSchema.optional() });
const usageDetails = z.object({ usage: usageSchema });

/**
 * Adds up the model calls in the history of one agent, over all of its executions. It needs no worker. Calls that a reset
 * discarded are not in the history.
 */
export async function readHistorySpending(client: Client, workflowId: string): Promise<Spending> {
  const histories = new Histories(client);
  let spent: ExecutionReader | undefined;
  const calls: PaidCall[] = [];
  let executionId: string | undefined;
  do {
    const reader = new ExecutionReader(client, workflowId);
    const execution = { workflowId, ...(executionId === undefined ? {} : { executionId }) };
    for await (const { events } of histories.pages(execution)) for (const event of events) await reader.read(event);
    calls.push(...reader.calls);
    spent = reader;
    executionId = reader.continuedFrom;
  } while (executionId !== undefined);
  // The first execution has the prices of the start.
  return spendingByAgent(calls, spent.pinned).get(workflowId) ?? nothingSpent;
}

/** Finds the model calls of one execution. */
class ExecutionReader {
  readonly calls: PaidCall[] = [];
  continuedFrom: string | undefined;
  pinned: PinnedPrices = {};
  private model = '';
  private execution = '';
  private readonly decoder: Decoder;
  private readonly names = new Map<number, string>();

  constructor(
    private readonly client: Client,
    private readonly agent: string,
  ) {
    this.decoder = new Decoder(client);
  }

  async read(event: HistoryEvent): Promise<void> {
    const {
      workflowExecutionStartedEventAttributes: started,
      activityTaskScheduledEventAttributes: scheduled,
      activityTaskCompletedEventAttributes: completed,
      activityTaskFailedEventAttributes: failed,
    } = event;
    if (started) {
      this.continuedFrom = started.continuedExecutionRunId || undefined;
      this.execution = started.originalExecutionRunId ?? '';
      this.use(await this.decoder.read(started.input, pricedSchema));
    }
    if (scheduled?.activityType?.name) {
      this.names.set(idOf(event.eventId), scheduled.activityType.name);
      if (scheduled.activityType.name === runTurnActivity.name) await this.asked(scheduled.input);
    }
    if (completed) await this.answered(idOf(completed.scheduledEventId), completed.result);
    if (failed && this.names.get(idOf(failed.scheduledEventId)) === runTurnActivity.name)
      await this.unusable(idOf(failed.scheduledEventId), failed.failure);
  }

  private use(settings: z.infer<typeof pricedSchema> | undefined): void {
    this.model = settings?.resume?.progress.changes?.model?.name ?? settings?.model?.name ?? this.model;
    const { prices, models } = settings ?? {};
    if (prices !== undefined || models !== undefined) this.pinned = { prices, models };
  }

  private async asked(input: Parameters<Decoder['read']>[0]): Promise<void> {
    const changes = (await this.decoder.read(input, runTurnActivity.input))?.told?.changes;
    this.model = changes?.model?.name ?? this.model;
    if (changes?.prices !== undefined)
      this.pinned = { ...this.pinned, prices: { ...this.pinned.prices, ...changes.prices } };
  }

  private async answered(id: number, result: Parameters<Decoder['read']>[0]): Promise<void> {
    const name = this.names.get(id);
    if (name === openRunActivity.name || name === openRelayActivity.name)
      this.use((await this.decoder.read(result, openedSchema))?.settings);
    if (name !== runTurnActivity.name) return;
    const reply = await this.decoder.read(result, runTurnActivity.result);
    if (reply === undefined || !areTurns(reply)) return;
    turnsOf(reply).forEach(({ usage }, index) => {
      this.add(`${id}/${index}`, usage);
    });
  }

  private add(place: string, usage: Parameters<typeof expandUsage>[0]): void {
    const call = `${this.execution}/${place}`;
    this.calls.push({ agent: this.agent, call, model: this.model, usage: expandUsage(usage) });
  }

  /** Notes a call whose replies could not be used, although they have to be paid for. */
  private async unusable(id: number, failure: Parameters<Decoder['cause']>[0]): Promise<void> {
    const error = await decodeOptionalFailureToOptionalError(this.client.options.loadedDataConverter, failure);
    const { data } = usageDetails.safeParse(failureCause(error, isFailureType).details.at(-1));
    if (data === undefined) return;
    this.calls.push({ agent: this.agent, call: `${this.execution}/${id}`, model: this.model, usage: data.usage });
  }
}

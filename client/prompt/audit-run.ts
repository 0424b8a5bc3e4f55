import type { Client } from '@temporalio/client';
import { LRUCache } from 'lru-cache';
import { delegationIdentity } from '../../domain/delegation';
import { ConcurrencyLimit, delegationId, delegationPath, forEachWithLimit, runWorkflowId } from '../../domain/kernel';
import type { BlobRef, RunStore } from '../../domain/store';
import { type ToolDescription, toolDescriptionSchema } from '../../domain/tool';
import { getJson } from '../../store/blobs';
import { findRootTools } from '../../store/prompts';
import { findRunPlace } from '../../store/run-place';
import { readRunRecord, type RecordedDelegation } from '../../store/run-record';
import { AgentsOfHistory, type HeadsById, headsById } from './agents-of-history';
import { everyStoredAgent, type StoredRun } from '../record/stored-run';
import {
  type AgentToAudit,
  checkAgent,
  type EmbeddedPrompt,
  differenceOf,
  type Opening,
  readEmbedded,
  type SharedReads,
} from './check-agent';

/** The result of the audit of one agent and of the agents below it. */
export interface AuditedAgent {
  readonly workflowId: string;
  /** Hash of the prompt; null when no prompt is recorded. */
  readonly prompt: string | null;
  /** The first difference from the record; null when there is none. */
  readonly difference: string | null;
  readonly children: readonly AuditedAgent[];
}

/**
 * Rebuilds every prompt of a run from its history and store, and compares it with the recorded one.
 *
 * Differences are returned, not thrown: check `difference` of every agent. Throws when the server does not have the
 * history of an agent, or when the store can't be read; `auditStoredRun` needs no server.
 *
 * @example
 * const store = await openStore(readSettings());
 * const root = await auditRun(client, store.forRun('licenses-7'));
 * if (root.difference !== null) console.error(root.difference);
 */
export async function auditRun(client: Client, store: RunStore): Promise<AuditedAgent> {
  const { finals, delegations, damage } = await readKnown(store);
  const agents = new AgentsOfHistory(client, finals);
  const audit = new Audit((workflowId) => agents.read(workflowId), store, delegations);
  const root = await audit.audit(runWorkflowId(store.runId), undefined);
  return damage === undefined ? root : { ...root, difference: root.difference ?? damage };
}

/** What the store records about the agents of a run, as far as an audit needs it. */
interface KnownRun {
  readonly finals: HeadsById;
  readonly delegations: RequestsById | undefined;
  /** Why the record can't be read. It is the root's difference, and the rest is audited. */
  readonly damage?: string;
}

/** Reads the record, which verifies it. */
async function readKnown(store: RunStore): Promise<KnownRun> {
  try {
    const record = await readRunRecord(store);
    return { finals: headsById(record?.finals ?? []), delegations: record && requestsById(record.delegations) };
  } catch (error) {
    return { finals: new Map(), delegations: undefined, damage: differenceOf(error) };
  }
}

/** Requests of delegations, by workflow id. */
type RequestsById = ReadonlyMap<string, Pick<RecordedDelegation, 'delegationId' | 'request'>>;

function requestsById(delegations: readonly RecordedDelegation[]): RequestsById {
  return new Map(
    delegations.map(({ delegationId, request }) => [`${request.parent}/${delegationId}`, { delegationId, request }]),
  );
}

/** Audits a run like `auditRun`, from the store alone. */
export function auditStoredRun({ store, root }: StoredRun): Promise<AuditedAgent> {
  const all = everyStoredAgent(root);
  const agents = new Map(all.map((agent) => [agent.workflowId, agent]));
  const read = (workflowId: string): Promise<AgentToAudit> => {
    const { opened, head, children } = agents.get(workflowId) ?? root;
    return Promise.resolve({ workflowId, opened, head, children: children.map((child) => child.workflowId) });
  };
  const delegations = requestsById(all.flatMap(({ delegation }) => delegation ?? []));
  return new Audit(read, store, delegations).audit(root.workflowId, undefined);
}

/** Agents that are checked at the same time. What is in memory of a run depends on this, not on its size. */
const maxConcurrent = 16;
/** Prompts of parents that are kept. Most agents of a large run have the same parent. */
const keptParents = 50;

class Audit {
  private readonly limit = new ConcurrencyLimit(maxConcurrent);
  /** Tool lists that were read. Most agents of a run have the same. */
  private readonly readTools = new Map<string, Promise<readonly ToolDescription[]>>();

  /** Prompts of parents, by hash. */
  private readonly parents = new LRUCache<string, Promise<EmbeddedPrompt>>({ max: keptParents });
  private readonly reads: SharedReads = {
    tools: (ref) => this.requireTools(ref),
    embeddedPrompt: (ref) => this.embeddedPrompt(ref),
  };

  constructor(
    private readonly read: (workflowId: string) => Promise<AgentToAudit>,
    private readonly store: RunStore,
    /** What the store records about delegations; undefined when the run was made before it did. */
    private readonly requests: RequestsById | undefined,
  ) {}

  async audit(workflowId: string, parent: Opening | undefined): Promise<AuditedAgent> {
    const { opened, children, difference } = await this.limit.run(() => this.check(workflowId, parent));
    const below: AuditedAgent[] = [];
    await forEachWithLimit(children.entries(), maxConcurrent, async ([index, child]) => {
      below[index] = await this.audit(child, opened);
    });
    return { workflowId, prompt: opened?.prompt.hash ?? null, difference, children: below };
  }

  private async check(
    workflowId: string,
    parent: Opening | undefined,
  ): Promise<AgentToAudit & Pick<AuditedAgent, 'difference'>> {
    const agent = await this.read(workflowId);
    const { store } = this;
    const difference =
      (await checkAgent(store, agent, parent, this.reads)) ??
      (await checkRootRecords(store, agent, parent)) ??
      (await this.checkId(workflowId, parent).catch(differenceOf));
    return { ...agent, difference: difference ?? null };
  }

  /** Computes the id of a delegation again, from the request that the store records. */
  private async checkId(workflowId: string, parent: Opening | undefined): Promise<string | undefined> {
    if (parent === undefined || this.requests === undefined) return undefined;
    const found = this.requests.get(workflowId);
    if (found === undefined) return 'its request is not recorded, so its delegation id cannot be computed again';
    const { payload, ordinal, tools, parentPrompt, parent: parentId } = found.request;
    const identity = delegationIdentity({
      parentPrompt: parentPrompt === null ? null : parent.prompt.hash,
      payload,
      tools: await this.requireTools(tools),
      parentDelegationId: delegationPath(parentId).at(-1) ?? null,
      runId: this.store.runId,
      ordinal,
    });
    const id = delegationId(identity);
    return id === found.delegationId ? undefined : `its delegation id is ${id} when it is computed again`;
  }

  private embeddedPrompt(ref: BlobRef): Promise<EmbeddedPrompt> {
    const read = this.parents.get(ref.hash) ?? readEmbedded(this.store, ref);
    this.parents.set(ref.hash, read);
    return read;
  }

  private requireTools(ref: BlobRef): Promise<readonly ToolDescription[]> {
    const read = this.readTools.get(ref.hash) ?? getJson(this.store, ref, toolDescriptionSchema.array(), 'audit');
    this.readTools.set(ref.hash, read);
    return read;
  }
}

/**
 * Checks what is stored once for the whole run: where it runs, and the tool list that limits `request_tool`, because an
 * agent can be granted only tools that the root has.
 */
async function checkRootRecords(
  store: RunStore,
  { opened }: AgentToAudit,
  parent: Opening | undefined,
): Promise<string | undefined> {
  if (opened === undefined || parent !== undefined) return undefined;
  try {
    // Reading a record verifies it.
    await findRunPlace(store);
    const stored = await findRootTools(store);
    return stored?.hash === opened.toolList.hash && stored.deferred?.hash === opened.deferred?.list.hash
      ? undefined
      : 'the tool list stored for tool requests is not that of the root agent';
  } catch (error) {
    return differenceOf(error);
  }
}

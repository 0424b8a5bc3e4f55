import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import { beforeTurnContract, filesContract, sessionContract, snapshotContract } from '../domain/agent';
import type { InputOf, MessageContract, ResultOf } from '../domain/kernel';
import {
  admittedContract,
  operatorDecisionContract,
  parkedContract,
  pauseContract,
  resumeContract,
  setPausedContract,
  standingContract,
  steerContract,
} from '../domain/operator';
import { applyTurnsContract, closeSessionContract, isClosedContract } from '../domain/session';
import { readTextContract } from '../domain/store';

// What each message means is in its contract, together with its wire name and its schemas.

/** Returns an agent's status, such as its turn, its spending and what it is waiting for. */
export const snapshotQuery = query(snapshotContract);
/** Returns an agent's workspace and artifacts, as refs into the store. */
export const filesQuery = query(filesContract);
export const sessionQuery = query(sessionContract);
/** Returns the state of a run's root agent before one of its turns. */
export const beforeTurnQuery = query(beforeTurnContract);
export const isClosedQuery = query(isClosedContract);

export const applyTurnsUpdate = update(applyTurnsContract);
export const operatorDecisionUpdate = update(operatorDecisionContract);
export const pauseUpdate = update(pauseContract);
export const resumeUpdate = update(resumeContract);
export const steerUpdate = update(steerContract);
/** Returns a page of what a run has stored. */
export const readTextUpdate = update(readTextContract);

export const closeSessionSignal = signal(closeSessionContract);
export const setPausedSignal = signal(setPausedContract);
export const standingSignal = signal(standingContract);
export const parkedSignal = signal(parkedContract);
export const admittedSignal = signal(admittedContract);

export type { Acknowledgement, OperatorNote } from '../domain/operator';

/** Arguments of a message: none, one that may be omitted, or one. */
type ArgumentsOf<Contract extends MessageContract> =
  InputOf<Contract> extends undefined
    ? []
    : undefined extends InputOf<Contract>
      ? [InputOf<Contract>?]
      : [InputOf<Contract>];

function query<Contract extends MessageContract<'query'>>(contract: Contract) {
  return defineQuery<ResultOf<Contract>, ArgumentsOf<Contract>, Contract['name']>(contract.name);
}

function update<Contract extends MessageContract<'update'>>(contract: Contract) {
  return defineUpdate<ResultOf<Contract>, ArgumentsOf<Contract>, Contract['name']>(contract.name);
}

function signal<Contract extends MessageContract<'signal'>>(contract: Contract) {
  return defineSignal<ArgumentsOf<Contract>, Contract['name']>(contract.name);
}

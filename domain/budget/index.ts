// Budgets: allowances, what was spent, and what is reserved for delegations.
export {
  addSpending,
  addEstimates,
  type Allowance,
  allowanceSchema,
  deadlinePassed,
  type Estimate,
  estimateCall,
  isUnlimited,
  nothingSpent,
  passedDeadline,
  requirePrice,
  type Spending,
  spendingSchema,
  stricterCalls,
  subtractSpending,
} from './allowance';
export {
  addFigures,
  type AgentFigures,
  budgetTexts,
  costText,
  figuresSchema,
  type Figures,
  figuresOf,
  figuresText,
  noFigures,
} from './figures';
export { readSpendingActivity } from './contract';
export {
  callsLeft,
  charge,
  chargeToolCall,
  increaseAllowance,
  type Ledger,
  openLedger,
  remainingAllowance,
  remainingBudget,
  reservedAllowance,
  shortfallFor,
  shortfallForCall,
  shortfallMessage,
  totalSpent,
  unspentAllowance,
} from './ledger';
export {
  defaultNotices,
  lowResourcesNotice,
  type Notice,
  noticeAbout,
  type Resource,
  roomBeforeNotice,
  type Told,
} from './notices';
export { type PaidCall, type PinnedPrices, spendingByAgent, spendingOf, withDelegations } from './paid-calls';
export { forfeitReservation, reserve, settleReservation, settleUnreported } from './reservation';

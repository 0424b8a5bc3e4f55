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
} from './allowance';
export {
  callsLeft,
  charge,
  chargeToolCall,
  increaseAllowance,
  type Ledger,
  openLedger,
  remainingAllowance,
  remainingBudget,
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
export { forfeitReservation, reserve, settleReservation } from './reservation';

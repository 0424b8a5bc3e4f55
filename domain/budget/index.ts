// Budgets: allowances, what was spent, and what is reserved for delegations.
export {
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
} from './allowance';
export {
  charge,
  increaseAllowance,
  type Ledger,
  openLedger,
  remainingAllowance,
  shortfallFor,
  shortfallForCall,
  shortfallMessage,
  totalSpent,
} from './ledger';
export { forfeitReservation, reserve, settleReservation } from './reservation';

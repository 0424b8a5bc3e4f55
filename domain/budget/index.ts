// Budgets: allowances, what was spent, and what is reserved for delegations.
export {
  addSpending,
  addEstimates,
  type Allowance,
  allowanceSchema,
  type Estimate,
  estimateCall,
  isUnlimited,
  nothingSpent,
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

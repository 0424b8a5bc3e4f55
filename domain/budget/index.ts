export {
  addEstimates,
  type Allowance,
  allowanceSchema,
  type Estimate,
  estimateCall,
  isUnlimited,
  nothingSpent,
  requirePrice,
  type Spending,
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

/** An order, as the shop has it. */
export interface Order {
  readonly id: string;
  readonly text: string;
}

/** Activities that this project had before. */
export const activities = {
  loadOrder: (id: string): Promise<Order> => Promise.resolve({ id, text: '40 kg of coffee, to a new address' }),
  saveDecision: (id: string, decision: string): Promise<string> => Promise.resolve(`order ${id}: ${decision}`),
};

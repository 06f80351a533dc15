/** The variable input of the compared engines; the rest of the facts is the same for all. */
export interface Asked {
  amount: string;
  mcc: string;
  country: string;
}

export interface Judge {
  name: string;
  approves(asked: Asked): Promise<boolean>;
}

/** The rules that all of them implement, independent of their notation. */
export const limits = {
  maxAmount: 100,
  currency: 'USD',
  mccs: ['5411', '5812', '5912'],
  countries: ['USA', 'CAN', 'GBR'],
} as const;

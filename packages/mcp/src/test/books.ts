/** A payment as a model requests it. */
export const books = {
  task_reference: 'order-1001',
  merchant_name: 'Example Books',
  amount: '19.90',
  currency: 'USD',
  payment_number: 1,
};

import { test } from 'tap';
import { assetCurrency, currencyExponent, isCurrency } from './currency.js';

test('the currency table follows ISO 4217 where Intl does not', (t) => {
  const table = { USD: 2, JPY: 0, KWD: 3, IQD: 3, HUF: 2, COP: 2, IDR: 2, PKR: 2, CLF: 4 };
  for (const [code, exponent] of Object.entries(table))
    t.equal(currencyExponent(code), exponent, code);
  for (const code of ['usd', 'XXX', 'XAU', 'BTC', 'USDC', '']) t.notOk(isCurrency(code), code);
  for (const symbol of ['USDC', 'usdc']) t.equal(assetCurrency(symbol), 'USD', symbol);
  for (const symbol of ['WETH', 'USD', 'EURC', '']) t.equal(assetCurrency(symbol), null, symbol);
  t.end();
});

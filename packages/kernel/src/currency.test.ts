import { test } from 'tap';
import { assetCurrency, currencyExponent, isCurrency, isSameAsset } from './currency.js';

test('the currency table follows ISO 4217 where Intl does not', (t) => {
  const table = { USD: 2, JPY: 0, KWD: 3, IQD: 3, HUF: 2, COP: 2, IDR: 2, PKR: 2, CLF: 4 };
  for (const [code, exponent] of Object.entries(table))
    t.equal(currencyExponent(code), exponent, code);
  for (const code of ['usd', 'XXX', 'XAU', 'BTC', 'USDC', '']) t.notOk(isCurrency(code), code);
  for (const symbol of ['USDC', 'usdc']) t.equal(assetCurrency(symbol), 'USD', symbol);
  for (const symbol of ['WETH', 'USD', 'EURC', '']) t.equal(assetCurrency(symbol), null, symbol);
  t.end();
});

test('USDC is one asset in upper and lower case, and no other is', (t) => {
  for (const symbol of ['USDC', 'usdc', 'UsdC']) t.ok(isSameAsset(symbol, 'USDC'), symbol);
  for (const symbol of ['u\u017fdc', 'USDC.e', ' USDC', '']) t.notOk(isSameAsset(symbol, 'USDC'));
  t.ok(isSameAsset('cUSD', 'cUSD'));
  t.notOk(isSameAsset('cUSD', 'CUSD'));
  t.notOk(isSameAsset('USDC', 'USDT'));
  t.end();
});

export function priceOf(article, formula) {
  return eval(formula)(article);
}

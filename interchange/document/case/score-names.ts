/**
 * Words in the names of scores of which a low value is usually good. The name alone does not decide it: some tools count bad
 * answers, others good ones, under the same name.
 */
const LOWER_IS_BETTER = new RegExp(
  String.raw`(?:^| )(?:${[
    'toxic|toxicity|hallucinat\\w*|bias|biased|harm|harmful|harmfulness|hate|hateful|hatefulness|profanity|profane',
    'stereotypes?|misinformation|misuse|maliciousness|insults?|threats?|vulgarity|obscenity|leakage|leaks?|pii|jailbreak\\w*',
    'attack success(?: rate)?|violations?|contradictions?|noise sensitivity|irrelevan(?:ce|cy|t)',
    'latency|latencies|duration|response time|elapsed(?: time)?|runtime|run time|wall time|time to first token|ttft',
    'costs?|tokens|token count|token usage|retries',
    'error rate|error count|errors|mistakes|failures?|failure rate|misses|miss rate|false (?:positive|negative)s?(?: rate)?|fpr|fnr',
    'perplexity|ppl|bits per (?:byte|char|character)|bpb|nll|cross entropy|entropy|loss|wer|cer|ter|mer|[mr]?mse|mae|rmse|mape',
    'brier(?: score)?|ece|edit distance|levenshtein distance|distance',
    'repetition(?: rate)?|refusal rate|refusals?|refused',
    'error|err|errored|fail|failed|invalid|unsafe|flagged|offensive|abusive|harassment|violence|violent|sexual|self harm|illicit',
    'spam|plagiarism|incorrect|incorrectness|unfaithful|unfaithfulness|inconsistency|incoherence|sycophancy|deception',
  ].join('|')})(?: |$)`,
)

/** With one of these words, the same name says that a high value is good. */
const TURNED = new RegExp(
  String.raw`(?:^| )(?:${[
    'no|non|not|without|free|absence|absent|lack|avoid\\w*|anti|inverse|inverted|negated|pass|passed|passes|ok|safe|safety',
    'resistan\\w*|robust\\w*|handling|efficien\\w*|effective\\w*|savings?|saved|recovery|awareness|mitigation|compliance',
    'accuracy|precision|recall|f1|correct\\w*|quality|similarity',
  ].join('|')})(?: |$)`,
)

/** Whether a score of this name usually measures something bad: whether a high value is good cannot be known. */
export const mayBeLowerBetter = (name: string): boolean => {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
  return LOWER_IS_BETTER.test(words) && !TURNED.test(words)
}

/**
 * The names under which an option may mean a score: its own, and that of the metric where the tool adds a version and the
 * member, as MLflow does: `toxicity/v1/score`.
 */
export const namesOf = (name: string): readonly string[] => {
  const metric = /^(.+?)(\/v\d+)?\/score$/.exec(name)
  if (metric === null) return [name]
  const [, short = '', version = ''] = metric
  return version === '' ? [name, short] : [name, `${short}${version}`, short]
}

# Written by `npm run clients` from clients/openapi.json. Do not edit.
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypedDict

if TYPE_CHECKING:
    # In the standard library since Python 3.11. Annotations are not evaluated, so only type checkers read it.
    from typing_extensions import NotRequired


class AccessList(TypedDict):
    restricted: bool
    grants: list[Grant]


class AccessOverviewTotals(TypedDict):
    suites: int
    restricted: int


class AccessOverviewAdminsOnlyItem(TypedDict):
    project: str
    suite: str | None


class AccessOverview(TypedDict):
    sets: list[AccessSet]
    next_cursor: str | None
    totals: AccessOverviewTotals | None
    admins_only: list[AccessOverviewAdminsOnlyItem] | None


class AccessSet(TypedDict):
    project: str
    suite: str | None
    restricted: bool
    covered: bool
    restricted_at: int | None
    restricted_by: str | None
    run_count: int
    case_count: int
    grants: list[Grant]


class AccountKey(TypedDict):
    id: str
    name: str | None
    prefix: str
    scope: Literal["read", "write", "admin"]
    created_at: str
    last_used_at: str | None
    revoked: bool
    user_id: str
    username: str
    role: Literal["admin", "member", "viewer"]
    state: Literal["usable", "disabled", "revoked"]
    effective_scope: Literal["read", "write", "admin"]


class AccountKeysTotals(TypedDict):
    matching: int
    usable: int
    disabled: int
    revoked: int


class AccountKeys(TypedDict):
    keys: list[AccountKey]
    next_cursor: str | None
    totals: AccountKeysTotals | None


class AnnotatedRun(TypedDict):
    added: RunAdded | None


class ApiKey(TypedDict):
    id: str
    name: str | None
    prefix: str
    scope: Literal["read", "write", "admin"]
    created_at: str
    last_used_at: str | None
    revoked: bool


class ApiKeys(TypedDict):
    keys: list[ApiKey]


class AuditActor(TypedDict):
    kind: Literal["anonymous", "static", "session", "apikey", "cli", "system"]
    scope: Literal["read", "write", "admin"] | None
    user_id: str | None
    credential_id: str | None
    address: str | None
    label: str | None


class AuditEvent(TypedDict):
    seq: int
    recorded_at: str
    type: str
    stream: str | None
    version: int | None
    actor: AuditActor | None
    request_id: str | None
    data: dict[str, Any] | None


class AuditList(TypedDict):
    events: list[AuditEvent]
    next_cursor: str | None


class AuditRecord(TypedDict):
    seq: int
    recorded_at: str
    type: str
    stream: str | None
    version: int | None
    actor: AuditActor | None
    request_id: str | None
    data: dict[str, Any] | None
    commitment: str
    leaf: str
    salt: str | None
    body: str | None


class CacheEntry(TypedDict):
    key: str
    size: int
    created_at: str
    last_access_at: str | None
    entry_created_at: str | None
    indexed: bool
    parseable: bool | None
    kind: str | None
    model: str | None
    cost_usd: float | None
    input_tokens: int | None
    output_tokens: int | None
    empty_reason: str | None
    attempts: int | None
    provider_latency_ms: int | None
    stop_reason: str | None
    service_version: str | None
    request: Any
    provider_fingerprint: Any
    output: Any
    reasoning: str | None
    tool_calls: list[Any]
    raw: Any


class CacheEvictionGroupsItem(TypedDict):
    kind: str | None
    model: str | None
    entries: int
    bytes: int
    read_last_7_days: int
    oldest_at: str | None
    newest_at: str | None
    cost_usd: float | None
    with_cost: int


class CacheEvictionOther(TypedDict):
    entries: int
    bytes: int
    read_last_7_days: int
    oldest_at: str | None
    newest_at: str | None
    cost_usd: float | None
    with_cost: int


class CacheEvictionTotal(TypedDict):
    entries: int
    bytes: int


class CacheEviction(TypedDict):
    entries: int
    bytes: int
    read_last_7_days: int
    oldest_at: str | None
    newest_at: str | None
    cost_usd: float | None
    with_cost: int
    groups: list[CacheEvictionGroupsItem]
    other: CacheEvictionOther
    total: CacheEvictionTotal


class CacheFacetsKindsItem(TypedDict):
    value: str
    count: int


class CacheFacets(TypedDict):
    kinds: list[CacheFacetsKindsItem]
    models: list[CacheFacetsKindsItem]
    empty_reasons: list[CacheFacetsKindsItem]
    total: int
    unindexed: int
    unparseable: int


class CacheItem(TypedDict):
    key: str
    size: int
    created_at: str
    last_access_at: str | None
    entry_created_at: str | None
    indexed: bool
    parseable: bool | None
    kind: str | None
    model: str | None
    cost_usd: float | None
    input_tokens: int | None
    output_tokens: int | None
    request_summary: str | None
    output_preview: str | None
    empty_reason: str | None


class CacheList(TypedDict):
    entries: list[CacheItem]
    next_cursor: str | None
    truncated: bool


class CacheOverviewDaysItem(TypedDict):
    runs: int
    runs_counted: int
    cache_hits: int
    cache_misses: int
    runs_with_savings: int
    savings_usd: float | None
    day: str


class CacheOverviewLimits(TypedDict):
    max_age_days: int
    max_bytes: int


class CacheOverview(TypedDict):
    runs: int
    runs_counted: int
    cache_hits: int
    cache_misses: int
    runs_with_savings: int
    savings_usd: float | None
    since: str
    until: str
    days: list[CacheOverviewDaysItem]
    cache: CacheStats
    limits: CacheOverviewLimits
    local: bool


class CachePruned(TypedDict):
    pruned: int


class CacheRunsCasesItem(TypedDict):
    run_id: str
    project: str | None
    suite: str | None
    created_at: str
    case_key: str
    name: str | None
    status: str
    cached: bool


class CacheRuns(TypedDict):
    cases: list[CacheRunsCasesItem]
    next_cursor: str | None


class CacheStats(TypedDict):
    entries: int
    total_bytes: int
    hits: int
    misses: int
    unindexed: int
    oldest_entry_at: str | None


class Case(TypedDict):
    case_key: str


class CaseFieldsFieldsItem(TypedDict):
    field: str
    cases: int
    values: int


class CaseFieldsGroupsItemPasses(TypedDict):
    mean: float
    lower: float | None
    upper: float | None


class CaseFieldsGroupsItem(TypedDict):
    value: str | None
    cases: int
    tests: int
    passes: CaseFieldsGroupsItemPasses | None


class CaseFields(TypedDict):
    run_id: str
    fields: list[CaseFieldsFieldsItem]
    groups: list[CaseFieldsGroupsItem] | None
    group_count: int


class CaseHistoryPointsItem(TypedDict):
    run_id: str
    created_at: str
    status: str
    score: float | None
    output_hash: str | None
    output_changed: bool | None
    cached: bool | None
    prompt_tokens: int | None
    completion_tokens: int | None
    cost_usd: float | None
    latency_ms: int | None
    git_commit: str | None
    config_digest: str | None


class CaseHistory(TypedDict):
    project: str
    suite: str
    case_key: str
    baseline_run_id: str | None
    points: list[CaseHistoryPointsItem]


class CaseInSuite(TypedDict):
    case: Case
    test: CaseList
    history: CaseHistory | None
    runs: RunList | None


class CaseList(TypedDict):
    cases: list[CaseListItem]
    next_cursor: str | None


class CaseListItemAssertsItem(TypedDict):
    label: str
    kind: str
    passed: bool
    score: float


class CaseListItem(TypedDict):
    case_key: str
    idx: int
    name: str | None
    status: Literal["pass", "fail", "error", "skip", "xfail", "xpass"]
    output_preview: str | None
    asserts: list[CaseListItemAssertsItem]
    prompt_tokens: int | None
    completion_tokens: int | None
    cost_usd: float | None
    latency_ms: int | None
    provider_id: str | None
    prompt_id: str | None
    test_id: str | None
    repeat: int | None
    score: float | None
    stop_reason: str | None
    cached: bool | None
    error: str | None
    error_class: str | None
    empty_reason: NotRequired[str]
    answered_by_provider_id: NotRequired[str]


class CaseListRow(TypedDict):
    case_key: str
    idx: int
    name: str | None
    status: Literal["pass", "fail", "error", "skip", "xfail", "xpass"]
    output_preview: str | None
    asserts: list[CaseListItemAssertsItem]
    prompt_tokens: int | None
    completion_tokens: int | None
    cost_usd: float | None
    latency_ms: int | None
    provider_id: str | None
    prompt_id: str | None
    test_id: str | None
    repeat: int | None
    score: float | None
    stop_reason: str | None
    cached: bool | None
    error: str | None
    error_class: str | None
    empty_reason: NotRequired[str]
    answered_by_provider_id: NotRequired[str]
    call: str | None
    reason: str | None
    fields: NotRequired[dict[str, str]]


class CaseRows(TypedDict):
    total: int
    offset: int
    place: int | None
    rows: list[CaseListRow]


class CaseSearchTestsItemCasesItem(TypedDict):
    run_id: str
    run_note: str | None
    case_key: str
    status: Literal["pass", "fail", "error", "skip", "xfail", "xpass"]
    score: float | None
    provider_id: str | None
    prompt_id: str | None
    repeat: int | None
    created_at: str


class CaseSearchTestsItem(TypedDict):
    project: str | None
    suite: str | None
    test_id: str | None
    name: str | None
    field: Literal["name", "output", "reason", "error", "tags", "prompt", "id"] | None
    snippet: str
    counts: dict[str, int]
    cases: list[CaseSearchTestsItemCasesItem]


class CaseSearchFacetsSuitesItem(TypedDict):
    project: str | None
    suite: str | None
    count: int


class CaseSearchFacetsStatusesItem(TypedDict):
    status: Literal["pass", "fail", "error", "skip", "xfail", "xpass"]
    count: int


class CaseSearchFacets(TypedDict):
    suites: list[CaseSearchFacetsSuitesItem]
    statuses: list[CaseSearchFacetsStatusesItem]


class CaseSearchWordsItem(TypedDict):
    word: str
    case_count: int
    more: bool


class CaseSearch(TypedDict):
    tests: list[CaseSearchTestsItem]
    case_count: int
    test_count: int
    more: bool
    complete: bool
    facets: CaseSearchFacets
    words: list[CaseSearchWordsItem] | None
    next_cursor: str | None


class CaseTimelineCounted(TypedDict):
    runs: int
    verdicts: int
    passed: int
    flips: int


class CaseTimelineRunsItemFailedAssertsItem(TypedDict):
    label: str
    kind: str
    score: float


class CaseTimelineRunsItem(TypedDict):
    run_id: str
    created_at: str
    note: str | None
    status: Literal["pass", "fail", "error", "skip", "xfail", "xpass"]
    score: float | None
    latency_ms: int | None
    cost_usd: float | None
    prompt_tokens: int | None
    completion_tokens: int | None
    cached: bool | None
    model: str | None
    stop_reason: str | None
    error: str | None
    failed_asserts: list[CaseTimelineRunsItemFailedAssertsItem]
    output_hash: str | None
    output_changed: bool | None
    prompt_digest: str | None
    prompt_changed: bool | None
    provider_digest: str | None
    provider_changed: bool | None
    assert_digest: str | None
    asserts_changed: bool | None
    model_changed: bool | None
    config_digest: str | None
    config_changed: bool | None
    git_branch: str | None
    git_commit: str | None


class CaseTimeline(TypedDict):
    project: str
    suite: str
    case_key: str
    name: str | None
    test_id: str | None
    provider_id: str | None
    prompt_id: str | None
    repeat: int | None
    baseline_run_id: str | None
    counted: CaseTimelineCounted
    runs: list[CaseTimelineRunsItem]
    next_cursor: str | None


class CheckpointListCheckpointsItemCosignedByItem(TypedDict):
    name: str
    at: str


class CheckpointListCheckpointsItem(TypedDict):
    size: int
    root: str
    signed_at: str
    note: str
    cosigned_by: list[CheckpointListCheckpointsItemCosignedByItem]


class CheckpointList(TypedDict):
    checkpoints: list[CheckpointListCheckpointsItem]
    next_cursor: str | None


class Clash(TypedDict):
    error: str
    id: NotRequired[str]


class ComparedCasesCounts(TypedDict):
    worse: int
    better: int
    undecided: int
    still_failing: int
    still_passing: int
    base_only: int
    head_only: int
    lost: int
    flipped: int
    all: int


class ComparedCasesLinkedBase(TypedDict):
    case_key: str
    status: Literal["pass", "fail", "error", "skip", "xfail", "xpass"]
    score: float | None
    latency_ms: int | None
    output_tokens: int | None
    cost_usd: float | None


class ComparedCasesLinkedFlipsItem(TypedDict):
    label: str
    kind: str
    base_passed: bool
    base_score: float
    head_score: float


class ComparedCasesLinked(TypedDict):
    change: Literal["worse", "better", "undecided", "still_failing", "still_passing", "base_only", "head_only"]
    name: str | None
    test_id: str | None
    provider_id: str | None
    prompt_id: str | None
    repeat: int | None
    tags: list[str]
    base: ComparedCasesLinkedBase | None
    head: ComparedCasesLinkedBase | None
    output_changed: bool | None
    flips: list[ComparedCasesLinkedFlipsItem]


class ComparedCases(TypedDict):
    base: str
    head: str
    joined_by: Literal["case_key", "test_prompt_repeat", "test_repeat"]
    counts: ComparedCasesCounts
    linked: ComparedCasesLinked | None
    cases: list[ComparedCasesLinked]
    next_cursor: str | None


class ComparedConfigs(TypedDict):
    base: RunConfig
    head: RunConfig


class ComparisonStatisticsBaseColumn(TypedDict):
    provider_id: str
    prompt_id: NotRequired[str | None]


class ComparisonStatisticsBasePassRate(TypedDict):
    passed: int
    total: int
    rate: float
    lower: float
    upper: float


class ComparisonStatisticsBaseCost(TypedDict):
    systems_usd: float | None
    missing: int
    grading_usd: float | None


class ComparisonStatisticsBase(TypedDict):
    id: str
    project: str | None
    suite: str | None
    column: ComparisonStatisticsBaseColumn | None
    note: str | None
    created_at: str
    case_count: int
    pass_rate: ComparisonStatisticsBasePassRate
    providers: list[str]
    prompts: list[str]
    models: list[str]
    cost: ComparisonStatisticsBaseCost
    plan_id: str | None


class ComparisonStatisticsShared(TypedDict):
    cases: int
    base_share: float | None
    head_share: float | None
    base_only: int
    head_only: int


class ComparisonStatisticsDifference(TypedDict):
    estimate: float
    lower: float
    upper: float


class ComparisonStatisticsLeftOutBy(TypedDict):
    passed_then_neutral: int
    failed_then_neutral: int
    neutral_then_passed: int
    neutral_then_failed: int
    neutral_in_both: int


class ComparisonStatisticsNoticeable(TypedDict):
    discordance: float | None
    smallest_difference: float | None
    pairs_needed: int | None


class ComparisonStatisticsScoresDifference(TypedDict):
    mean: float
    se: float
    df: int
    lower: float
    upper: float
    p_value: float
    t: float | None


class ComparisonStatisticsScoresBootstrap(TypedDict):
    resamples: int
    lower: float
    upper: float


class ComparisonStatisticsScores(TypedDict):
    pairs: int
    base_mean: float
    head_mean: float
    difference: ComparisonStatisticsScoresDifference | None
    bootstrap: ComparisonStatisticsScoresBootstrap | None
    smallest_difference: float | None


class ComparisonStatisticsClusteredPasses(TypedDict):
    mean: float
    se: float
    df: int
    lower: float
    upper: float
    p_value: float
    groups: int
    few_groups: bool


class ComparisonStatisticsClustered(TypedDict):
    by: str
    passes: ComparisonStatisticsClusteredPasses | None
    scores: ComparisonStatisticsClusteredPasses | None


class ComparisonStatisticsLatencyMsRatio(TypedDict):
    estimate: float
    lower: float
    upper: float
    p_value: float
    pairs: int
    groups: int
    few_groups: bool


class ComparisonStatisticsLatencyMs(TypedDict):
    pairs: int
    base_median: float | None
    head_median: float | None
    base_total: float | None
    head_total: float | None
    ratio: ComparisonStatisticsLatencyMsRatio | None
    from_cache: int


class ComparisonStatistics(TypedDict):
    base: ComparisonStatisticsBase
    head: ComparisonStatisticsBase
    joined_by: Literal["case_key", "test_prompt_repeat", "test_repeat"]
    same_suite: bool
    shared: ComparisonStatisticsShared
    verdict: Literal["better", "worse", "no_clear_change", "too_few"]
    pairs: int
    worse: int
    better: int
    p_value: float | None
    mid_p: float | None
    difference: ComparisonStatisticsDifference | None
    still_passing: int
    still_failing: int
    left_out: int
    left_out_by: ComparisonStatisticsLeftOutBy
    assumes_independence: bool
    base_pairs: ComparisonStatisticsBasePassRate
    head_pairs: ComparisonStatisticsBasePassRate
    noticeable: ComparisonStatisticsNoticeable
    scores: ComparisonStatisticsScores | None
    clustered: ComparisonStatisticsClustered
    latency_ms: ComparisonStatisticsLatencyMs
    input_tokens: ComparisonStatisticsLatencyMs
    output_tokens: ComparisonStatisticsLatencyMs
    cost_usd: ComparisonStatisticsLatencyMs


ConsistencyProof = TypedDict(
    "ConsistencyProof",
    {
        "from": "int",
        "to": "int",
        "from_root": "str",
        "to_root": "str",
        "proof": "list[str]",
    },
)


DistributionScoreBinsItemCounts = TypedDict(
    "DistributionScoreBinsItemCounts",
    {
        "pass": "int",
        "fail": "int",
        "error": "int",
        "skip": "int",
        "xfail": "int",
        "xpass": "int",
    },
)


DistributionScoreBinsItem = TypedDict(
    "DistributionScoreBinsItem",
    {
        "from": "float",
        "to": "float",
        "counts": "DistributionScoreBinsItemCounts",
    },
)


class DistributionScore(TypedDict):
    unknown: int
    median: float | None
    p95: float | None
    bins: list[DistributionScoreBinsItem]
    two_valued: bool


class DistributionLatencyMs(TypedDict):
    unknown: int
    median: float | None
    p95: float | None
    bins: list[DistributionScoreBinsItem]


class DistributionFacetsTagItem(TypedDict):
    value: str
    total: int
    passed: int


class DistributionFacets(TypedDict):
    tag: list[DistributionFacetsTagItem]
    provider: list[DistributionFacetsTagItem]
    prompt: list[DistributionFacetsTagItem]
    stop_reason: list[DistributionFacetsTagItem]
    error_class: list[DistributionFacetsTagItem]
    empty_reason: list[DistributionFacetsTagItem]


class DistributionColumnsItemOverCases(TypedDict):
    cases: int
    pass_fraction: float
    score_cases: int
    score_mean: float | None
    latency_cases: int
    latency_ms_mean: float | None


class DistributionColumnsItem(TypedDict):
    provider_id: str
    prompt_id: str | None
    tests: int
    score_tests: int
    latency_tests: int
    score_mean: float | None
    pass_fraction: float
    latency_ms_mean: float | None
    over_cases: DistributionColumnsItemOverCases


class Distribution(TypedDict):
    run_id: str
    cases: int
    tests: int
    score: DistributionScore
    latency_ms: DistributionLatencyMs
    facets: DistributionFacets
    facets_capped: NotRequired[list[str]]
    columns: list[DistributionColumnsItem]


class Done(TypedDict):
    ok: Literal[True]


class Erased(TypedDict):
    erasure_id: str
    records: int
    kept: int
    documents: int
    dry_run: bool


class Error(TypedDict):
    error: str


class FoundAccountsAccountsItem(TypedDict):
    user_id: str
    username: str


class FoundAccounts(TypedDict):
    accounts: list[FoundAccountsAccountsItem]


class Grant(TypedDict):
    user_id: str
    username: str
    level: Literal["view", "upload", "manage"]
    created_at: int
    created_by: str | None


class Health(TypedDict):
    status: str


class Hold(TypedDict):
    id: str
    project: str | None
    suite: str | None
    run_id: str | None
    reference: str
    note: str | None
    placed_at: str
    placed_by: str | None
    lifted_at: str | None
    lifted_by: str | None


class HoldList(TypedDict):
    holds: list[Hold]
    next_cursor: str | None


class ImportRefusedRefusedItem(TypedDict):
    part: str | None
    reason: str


class ImportRefused(TypedDict):
    error: str
    refused: NotRequired[list[ImportRefusedRefusedItem]]


class ImportResultRunsItem(TypedDict):
    id: str
    url: str
    part: str | None
    project: str | None
    suite: str | None
    outcome: Literal["imported", "new", "already_there", "changed"]
    cases: int | None
    statuses: dict[str, int] | None
    created_at: str | None


class ImportResultLossesItem(TypedDict):
    kind: Literal["left_out", "cut", "changed", "assumed", "contradicted"]
    path: str
    count: int
    bytes: int
    example: str
    note: NotRequired[str]


class ImportResultScoresItem(TypedDict):
    name: str
    values: int
    min: float
    max: float
    range: list[Any] | None
    lower_is_better: bool
    decides: bool
    passes_from: float | None
    asks: Literal["range", "direction"] | None


class ImportResult(TypedDict):
    format: str | None
    runs: list[ImportResultRunsItem]
    refused: list[ImportRefusedRefusedItem]
    losses: list[ImportResultLossesItem]
    scores: list[ImportResultScoresItem]


class InclusionProof(TypedDict):
    index: int
    size: int
    root: str
    leaf: str
    proof: list[str]
    checkpoint: str


class Ingested(TypedDict):
    id: str
    url: str
    hidden_cases: NotRequired[int]


class LeaderboardColumnsItemPassKItem(TypedDict):
    k: int
    pass_at_k: float | None
    pass_hat_k: float | None


class LeaderboardColumnsItemLatencyMs(TypedDict):
    median: float | None
    p95: float | None


class LeaderboardColumnsItemAgainstBase(TypedDict):
    verdict: Literal["better", "worse", "no_clear_change", "too_few"]
    pairs: int
    worse: int
    better: int
    p_value: float | None
    mid_p: float | None
    difference: ComparisonStatisticsDifference | None
    shared: int
    adjusted_p: float | None
    removed_by_adjustment: bool


class LeaderboardColumnsItem(TypedDict):
    provider_id: str
    prompt_id: NotRequired[str | None]
    cases: int
    tests: int
    most_trials: int
    passes: CaseFieldsGroupsItemPasses | None
    scores: CaseFieldsGroupsItemPasses | None
    pass_k: list[LeaderboardColumnsItemPassKItem]
    latency_ms: LeaderboardColumnsItemLatencyMs
    input_tokens_median: float | None
    output_tokens_median: float | None
    cost_usd: float | None
    cost_missing: int
    against_base: LeaderboardColumnsItemAgainstBase | None


class Leaderboard(TypedDict):
    run_id: str
    by: Literal["column", "provider"]
    base: ComparisonStatisticsBaseColumn | None
    base_is_best: bool
    column_count: int
    columns: list[LeaderboardColumnsItem]


class LinkedIdentity(TypedDict):
    provider: str
    kind: Literal["oidc", "saml"]
    subject: str
    email: str | None
    last_login_at: str | None


class ManyRunsRunsItem(TypedDict):
    run: ComparisonStatisticsBase
    score_mean: float | None
    latency_ms_median: float | None
    input_tokens_median: float | None
    output_tokens_median: float | None
    against_base: LeaderboardColumnsItemAgainstBase | None


class ManyRunsCounts(TypedDict):
    all: int
    in_every_run: int
    differ: int
    all_passed: int
    all_failed: int


class ManyRunsRowsItemCellsItem(TypedDict):
    case_key: str
    status: Literal["pass", "fail", "error", "skip", "xfail", "xpass"]
    score: float | None
    latency_ms: int | None
    output_tokens: int | None
    cost_usd: float | None
    differs: bool


class ManyRunsRowsItem(TypedDict):
    key: str
    case_key: str
    name: str | None
    test_id: str | None
    provider_id: str | None
    prompt_id: str | None
    repeat: int | None
    differs: bool
    cells: list[ManyRunsRowsItemCellsItem | None]


class ManyRuns(TypedDict):
    base: str
    joined_by: Literal["case_key", "test_prompt_repeat", "test_repeat"]
    runs: list[ManyRunsRunsItem]
    counts: ManyRunsCounts
    rows: list[ManyRunsRowsItem]
    next_cursor: str | None


class MatrixColumnsItem(TypedDict):
    provider_id: str
    prompt_id: str | None


class MatrixRowsItem(TypedDict):
    test_id: str
    name: str | None
    cells: list[MatrixCell | None]


class MatrixProviderCostsItem(TypedDict):
    provider_id: str
    cases: int
    cost_usd: float | None


class Matrix(TypedDict):
    run_id: str
    columns: list[MatrixColumnsItem]
    rows: list[MatrixRowsItem]
    provider_costs: list[MatrixProviderCostsItem]
    next_cursor: str | None


class MatrixCell(TypedDict):
    total: int
    passed: int
    failed: int
    errored: int
    skipped: int
    xfailed: int
    xpassed: int
    score_mean: float | None
    pass_fraction: float
    distinct_outputs: int
    latency_ms_mean: float | None
    cost_usd: float | None
    fallback_answered: int
    case_keys: list[str]


class MatrixRowsRange(TypedDict):
    min: float
    max: float


class MatrixRowsRowsItemCellsItem(TypedDict):
    value: float | None
    passed: int
    failed: int
    total: int
    case_key: str | None


class MatrixRowsRowsItem(TypedDict):
    test_id: str
    name: str | None
    mean: float | None
    cells: list[MatrixRowsRowsItemCellsItem | None]


class MatrixRows(TypedDict):
    run_id: str
    value: Literal["score", "pass", "latency", "outputs"]
    row_count: int
    range: MatrixRowsRange
    rows: list[MatrixRowsRowsItem]
    next_cursor: str | None


class Me(TypedDict):
    authenticated: bool
    user: OwnUser | None
    source: Literal["anonymous", "static", "apikey", "session"]
    scope: Literal["read", "write", "admin"] | None


class MetaCache(TypedDict):
    max_entry_bytes: int
    max_bytes: int
    max_age_days: int


class MetaSsoProvidersItem(TypedDict):
    name: str
    kind: str
    label: str
    login_url: str


class MetaCacheTiersItem(TypedDict):
    id: str
    label: str
    search: str


class Meta(TypedDict):
    name: str
    version: str
    auth_mode: Literal["open", "protect-writes", "closed"]
    setup_required: bool
    supported_schema_versions: list[int]
    result_schema_version: int
    cache: MetaCache
    sso_providers: list[MetaSsoProvidersItem]
    cache_tiers: list[MetaCacheTiersItem]
    mcp_enabled: bool


class MintedApiKey(TypedDict):
    id: str
    name: str | None
    prefix: str
    scope: Literal["read", "write", "admin"]
    created_at: str
    last_used_at: str | None
    revoked: bool
    key: str


class NearestRunNearest(TypedDict):
    id: str
    project: str | None
    suite: str | None
    note: str | None
    created_at: str
    case_count: int
    pairs: int


class NearestRunOthers(TypedDict):
    runs: int
    same_providers: int
    most_pairs: int


class NearestRun(TypedDict):
    base: str
    head: str
    nearest: NearestRunNearest | None
    others: NearestRunOthers | None


class OverviewCounts(TypedDict):
    suites: int
    attention: int
    steady: int
    no_trend: int
    snoozed: int
    quiet: int
    archived: int


class OverviewProjectsItem(TypedDict):
    project: str
    suite_count: int


class OverviewActivityDaysItem(TypedDict):
    date: str
    runs: int
    cost_usd: float | None
    grader_cost_usd: float | None
    runs_without_cost: int


class OverviewActivity(TypedDict):
    days: list[OverviewActivityDaysItem]
    runs: int
    cost_usd: float | None
    grader_cost_usd: float | None
    runs_without_cost: int


class OverviewLatestRunsItem(TypedDict):
    id: str
    project: str | None
    suite: str | None
    created_at: str
    note: str | None
    git_branch: str | None
    git_commit: str | None
    case_count: int
    pass_count: int
    fail_count: int
    error_count: int
    pass_rate: ComparisonStatisticsBasePassRate


class Overview(TypedDict):
    suites: list[OverviewSuite]
    next_cursor: str | None
    counts: OverviewCounts
    projects: list[OverviewProjectsItem]
    activity: OverviewActivity
    latest_runs: list[OverviewLatestRunsItem]


class OverviewSuiteReasonStillFailing(TypedDict):
    cases: int
    runs: int


class OverviewSuiteReason(TypedDict):
    code: Literal["worse", "lost", "cost", "latency", "flaky", "errors", "stale", "better", "no_clear_change", "too_few", "unchanged", "first_run", "other_providers", "other_cases"]
    points: NotRequired[float | None]
    worse: NotRequired[int]
    better: NotRequired[int]
    lost: NotRequired[int]
    regained: NotRequired[int]
    p: NotRequired[float]
    q: NotRequired[float | None]
    ratio: NotRequired[float]
    lower: NotRequired[float]
    upper: NotRequired[float]
    pairs: NotRequired[int]
    flaky: NotRequired[int]
    errors: NotRequired[int]
    idle_ms: NotRequired[float]
    usual_gap_ms: NotRequired[float]
    is_baseline: NotRequired[bool]
    runs: NotRequired[int]
    providers: NotRequired[int]
    still_failing: NotRequired[OverviewSuiteReasonStillFailing]


class OverviewSuitePreviousRun(TypedDict):
    id: str
    created_at: str
    pass_rate: ComparisonStatisticsBasePassRate


class OverviewSuiteBaseline(TypedDict):
    run_id: str
    pass_rate: ComparisonStatisticsBasePassRate | None


class OverviewSuite(TypedDict):
    project: str
    suite: str
    group: Literal["attention", "steady", "no_trend", "snoozed", "quiet", "archived"]
    attention: bool
    reason: OverviewSuiteReason
    reason_text: str
    newest_run: OverviewLatestRunsItem
    previous_run: OverviewSuitePreviousRun | None
    worse: int | None
    better: int | None
    lost: int | None
    regained: int | None
    p: float | None
    q: float | None
    assumes_independence: bool
    flaky_count: int | None
    like_run_count: int
    run_count: int
    usual_gap_ms: float | None
    pass_rates: list[float]
    baseline: OverviewSuiteBaseline | None
    restricted: bool
    settings: SuiteSettings | None


class OwnSession(TypedDict):
    id: str
    created_at: str
    last_used_at: str | None
    expires_at: str
    address: str | None
    is_current: bool


class OwnSessions(TypedDict):
    sessions: list[OwnSession]


class OwnUser(TypedDict):
    id: str
    username: str
    role: Literal["admin", "member", "viewer"]
    has_password: bool
    identities: list[LinkedIdentity]
    role_managed_by: str | None


class Plan(TypedDict):
    id: str
    project: str
    suite: str
    plan_sha256: str
    plan_bytes: int | None
    config_digest: str | None
    metric: Literal["pass_rate"] | None
    comparator: Literal[">=", ">"] | None
    threshold: float | None
    case_count: int | None
    registered_by: str | None
    attempts: int
    registered_at: str
    revealed_at: str | None
    withdrawn_at: str | None


class PlanDetail(TypedDict):
    id: str
    project: str
    suite: str
    plan_sha256: str
    plan_bytes: int | None
    config_digest: str | None
    metric: Literal["pass_rate"] | None
    comparator: Literal[">=", ">"] | None
    threshold: float | None
    case_count: int | None
    registered_by: str | None
    attempts: int
    registered_at: str
    revealed_at: str | None
    withdrawn_at: str | None
    text: str | None


class PlanList(TypedDict):
    plans: list[Plan]
    next_cursor: str | None


class PreviousRunPrevious(TypedDict):
    id: str
    created_at: str
    note: str | None
    case_count: int
    pass_count: int
    shared: int
    worse: int
    better: int
    lost: int
    added: int
    removed: int


class PreviousRun(TypedDict):
    run_id: str
    previous: PreviousRunPrevious | None


class ProjectListProjectsItem(TypedDict):
    project: str
    run_count: int
    suite_count: int
    last_run_at: str


class ProjectList(TypedDict):
    projects: list[ProjectListProjectsItem]


class ProjectSet(TypedDict):
    project: str
    restricted: bool
    my_level: Literal["view", "upload", "manage"] | None
    suites: list[SuiteSetView]


class ProjectSetView(TypedDict):
    project: str
    suite_count: int
    run_count: int
    last_run_at: int
    pass_count: int
    fail_count: int
    error_count: int
    case_count: int
    empty_count: NotRequired[int]
    recent_pass_rates: list[float]
    restricted: bool
    my_level: Literal["view", "upload", "manage"] | None


class ProjectSets(TypedDict):
    projects: list[ProjectSetView]


class Readiness(TypedDict):
    status: str
    problem: NotRequired[str]


class ReceiptOpening(TypedDict):
    body: str
    recorded_at: int
    salt: str
    type: str
    v: Literal[1]


class Receipt(TypedDict):
    index: int
    size: int
    root: str
    leaf: str
    proof: list[str]
    checkpoint: str
    opening: ReceiptOpening


class Retention(TypedDict):
    dry_run: bool
    runs: int
    cache_entries: int


class RunAdded(TypedDict):
    title: str | None
    note: str | None
    tags: list[str]
    revision: str
    at: str
    by: str | None


class RunAnnotations(TypedDict):
    annotations: list[RunAdded]
    next_cursor: str | None


class RunComparisonSummary(TypedDict):
    newly_failing: int
    newly_passing: int
    still_failing: int
    output_changed: int
    added: int
    removed: int


class RunComparisonCasesItemAssertFlipsItem(TypedDict):
    kind: str
    base_passed: bool
    head_passed: bool
    base_score: float
    head_score: float


class RunComparisonCasesItem(TypedDict):
    case_key: str
    name: str | None
    base_status: Literal["pass", "fail", "error", "skip", "xfail", "xpass"] | None
    head_status: Literal["pass", "fail", "error", "skip", "xfail", "xpass"] | None
    delta: Literal["newly_failing", "newly_passing", "still_failing", "still_passing", "unchanged", "added", "removed"]
    output_changed: bool
    base_score: float | None
    head_score: float | None
    score_delta: float | None
    assert_flips: list[RunComparisonCasesItemAssertFlipsItem]
    change: Literal["prompt_changed", "provider_changed", "asserts_changed", "grader_changed", "unknown", "model_drift", "output_drift", "unstable_grader", "stable"]


class RunComparisonStatsMcnemar(TypedDict):
    regressions: int
    fixes: int
    statistic: float
    significant: bool
    p_value: float


class RunComparisonStats(TypedDict):
    mcnemar: RunComparisonStatsMcnemar
    base_pass_rate: ComparisonStatisticsBasePassRate
    head_pass_rate: ComparisonStatisticsBasePassRate


class RunComparisonTotalsBase(TypedDict):
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float | None
    duration_ms: int | None
    case_count: int
    pass_count: int


class RunComparisonTotals(TypedDict):
    base: RunComparisonTotalsBase
    head: RunComparisonTotalsBase


class RunComparisonConfigComponentsItem(TypedDict):
    component: Literal["prompts", "providers", "tests", "asserts", "grader"]
    base: str | None
    head: str | None
    changed: bool | None


class RunComparisonConfig(TypedDict):
    base_digest: str | None
    head_digest: str | None
    changed: bool | None
    components: list[RunComparisonConfigComponentsItem]


class RunComparison(TypedDict):
    base: str
    head: str
    summary: RunComparisonSummary
    cases: list[RunComparisonCasesItem]
    stats: RunComparisonStats
    totals: RunComparisonTotals
    config: RunComparisonConfig


class RunConfig(TypedDict):
    run_id: str
    config_digest: str | None
    config: Any


class RunDetail(TypedDict):
    id: str
    project: str | None
    suite: str | None
    created_at: str
    git_branch: str | None
    git_commit: str | None
    git_dirty: bool | None
    case_count: int
    pass_count: int
    fail_count: int
    error_count: int
    xfail_count: int
    xpass_count: int
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float | None
    duration_ms: int
    cache_hits: int | None
    cache_misses: int | None
    actor: str | None
    host: str | None
    uploaded_by: str | None
    ci_provider: str | None
    ci_run_url: str | None
    note: str | None
    service_version: str | None
    tags: list[str]
    uploaded_at: str
    schema_version: int
    content_hash: str
    config_digest: str | None
    cache_read_tokens: int | None
    cache_write_tokens: int | None
    cache_savings_usd: float | None
    grader_cost_usd: float | None
    assert_labels: list[str]
    empty_counts: NotRequired[dict[str, int]]
    hidden_cases: NotRequired[int]
    held: bool
    plan: RunPlan | None
    added: NotRequired[RunAdded]


class RunDocumentCasesItemCell(TypedDict):
    provider_id: str
    prompt_id: NotRequired[str | None]
    test_id: str
    repeat: NotRequired[int]


class RunDocumentCasesItem(TypedDict):
    cell: RunDocumentCasesItemCell
    case_key: str
    status: Literal["pass", "fail", "error", "skip", "xfail", "xpass"]
    score: float
    latency_ms: int


class RunDocumentSummary(TypedDict):
    total: int
    passed: int
    failed: int
    errored: int
    skipped: int


class RunDocument(TypedDict):
    schema_version: int
    run_id: str
    project: NotRequired[str | None]
    suite: NotRequired[str | None]
    started_at: str
    finished_at: str
    config_digest: str
    config_snapshot: Any
    cases: list[RunDocumentCasesItem]
    summary: RunDocumentSummary


class RunFacetsProjectsItem(TypedDict):
    project: str
    run_count: int


class RunFacetsSuitesItem(TypedDict):
    suite: str
    projects: list[str]
    run_count: int


class RunFacets(TypedDict):
    projects: list[RunFacetsProjectsItem]
    suites: list[RunFacetsSuitesItem]


class RunInSuiteSet(TypedDict):
    baseline_run_id: str | None
    restricted: bool
    my_level: Literal["view", "upload", "manage"] | None


class RunInSuite(TypedDict):
    id: str
    project: str | None
    suite: str | None
    created_at: str
    git_branch: str | None
    git_commit: str | None
    git_dirty: bool | None
    case_count: int
    pass_count: int
    fail_count: int
    error_count: int
    xfail_count: int
    xpass_count: int
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float | None
    duration_ms: int
    cache_hits: int | None
    cache_misses: int | None
    actor: str | None
    host: str | None
    uploaded_by: str | None
    ci_provider: str | None
    ci_run_url: str | None
    note: str | None
    service_version: str | None
    tags: list[str]
    uploaded_at: str
    schema_version: int
    content_hash: str
    config_digest: str | None
    cache_read_tokens: int | None
    cache_write_tokens: int | None
    cache_savings_usd: float | None
    grader_cost_usd: float | None
    assert_labels: list[str]
    empty_counts: NotRequired[dict[str, int]]
    hidden_cases: NotRequired[int]
    held: bool
    plan: RunPlan | None
    added: NotRequired[RunAdded]
    set: RunInSuiteSet | None
    previous: PreviousRunPrevious | None


class RunList(TypedDict):
    runs: list[RunListItem]
    next_cursor: str | None
    cached_hidden: int | None


class RunListItem(TypedDict):
    id: str
    project: str | None
    suite: str | None
    created_at: str
    git_branch: str | None
    git_commit: str | None
    git_dirty: bool | None
    case_count: int
    pass_count: int
    fail_count: int
    error_count: int
    xfail_count: int
    xpass_count: int
    pass_rate: float
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float | None
    duration_ms: int
    cache_hits: int | None
    cache_misses: int | None
    empty_count: NotRequired[int]
    actor: str | None
    host: str | None
    uploaded_by: str | None
    ci_provider: str | None
    ci_run_url: str | None
    note: str | None
    service_version: str | None
    tags: list[str]
    added: NotRequired[RunAdded]


class RunPlan(TypedDict):
    id: str
    registered_at: str
    attempt: int
    attempts: int
    state: Literal["before", "late"]
    met: bool | None
    complete: bool | None


class RunSearchRunsItem(TypedDict):
    id: str
    project: str | None
    suite: str | None
    created_at: str
    snippet: str
    cached: bool | None
    added: NotRequired[RunAdded]


class RunSearch(TypedDict):
    runs: list[RunSearchRunsItem]
    run_count: int
    more: bool
    next_cursor: str | None


class RunStatisticsPasses(TypedDict):
    mean: float
    se: float
    df: int
    lower: float
    upper: float


class RunStatisticsClusteredPasses(TypedDict):
    mean: float
    se: float
    df: int
    lower: float
    upper: float
    groups: int
    few_groups: bool


class RunStatisticsClustered(TypedDict):
    by: str
    passes: RunStatisticsClusteredPasses | None
    scores: RunStatisticsClusteredPasses | None


class RunStatisticsTrialsVariance(TypedDict):
    cases: int
    trials: int
    within: float
    between: float
    icc: float | None
    mean: float
    se_cases_sampled: float
    se_cases_fixed: float


class RunStatisticsTrials(TypedDict):
    most: int
    variance: RunStatisticsTrialsVariance | None


class RunStatisticsPassKItem(TypedDict):
    k: int
    pass_at_k: float | None
    pass_hat_k: float | None
    units: int
    left_out: int


class RunStatisticsLatencyMs(TypedDict):
    cases: int
    missing: int
    median: float | None
    total: float | None


class RunStatistics(TypedDict):
    run: ComparisonStatisticsBase
    units: int
    decided: ComparisonStatisticsBasePassRate
    left_out: int
    errors: int
    passes: RunStatisticsPasses | None
    scores: RunStatisticsPasses | None
    clustered: RunStatisticsClustered
    trials: RunStatisticsTrials | None
    pass_k: list[RunStatisticsPassKItem]
    latency_ms: RunStatisticsLatencyMs
    input_tokens: RunStatisticsLatencyMs
    output_tokens: RunStatisticsLatencyMs


class SavedView(TypedDict):
    id: str
    name: str
    path: str
    query: str
    pinned: bool
    position: float
    created_at: str
    updated_at: str
    shared_at: str | None


class SavedViews(TypedDict):
    views: list[SavedView]
    shared: list[SharedView]


class SearchHitsCasesItem(TypedDict):
    run_id: str
    case_key: str
    name: str | None
    status: str
    project: str | None
    suite: str | None
    snippet: str
    cached: bool | None


class SearchHits(TypedDict):
    runs: list[RunSearchRunsItem]
    cases: list[SearchHitsCasesItem]


class ServerStorage(TypedDict):
    kind: Literal["sqlite", "postgres"]
    location: str
    free_bytes: int | None
    schema: int


class ServerRetention(TypedDict):
    run_max_age_days: float | None
    cache_max_age_days: int
    cache_max_bytes: int
    cache_max_entry_bytes: int
    sweep_empty_reasons: list[str]


class ServerLog(TypedDict):
    size: int
    root: str
    recorded_at: str | None


class ServerContents(TypedDict):
    runs: int
    cases: int
    documents_bytes: int
    cache_entries: int
    cache_bytes: int
    database_bytes: int


class ServerReadTablesItem(TypedDict):
    name: str
    version: int | None
    rebuilt_to: int
    state: Literal["current", "building", "missing"]
    built: int | None


class ServerLastStart(TypedDict):
    seq: int
    recorded_at: str
    data: dict[str, Any] | None


class ServerLast(TypedDict):
    start: ServerLastStart | None
    rebuild: ServerLastStart | None
    cache_prune: ServerLastStart | None


class Server(TypedDict):
    version: str
    instance: str
    node_version: str
    started_at: str
    uptime_ms: int
    memory_bytes: int
    auth_mode: Literal["open", "protect-writes", "closed"]
    public_url: str | None
    storage: ServerStorage
    retention: ServerRetention
    log: ServerLog
    contents: ServerContents
    read_tables: list[ServerReadTablesItem]
    last: ServerLast


class SessionsEnded(TypedDict):
    ended: int


class SharedView(TypedDict):
    id: str
    name: str
    path: str
    query: str
    shared_at: str
    shared_by: str


class SignedIn(TypedDict):
    token: str
    user: User


class SuiteFlakinessRunsItem(TypedDict):
    id: str
    created_at: str


class SuiteFlakinessCasesItem(TypedDict):
    case_key: str
    test_id: str | None
    provider_id: str | None
    prompt_id: str | None
    name: str | None
    points: int
    flips: int
    flip_rate: float | None
    pass_rate: float | None
    expected_flip_rate: float | None
    flaky: bool
    marks: str


class SuiteFlakiness(TypedDict):
    project: str
    suite: str
    branch: str | None
    window: int
    runs: list[SuiteFlakinessRunsItem]
    case_count: int
    flaky_count: int
    flipping_count: int
    cases: list[SuiteFlakinessCasesItem]


class SuiteGridRunsItemDigests(TypedDict):
    prompts: str | None
    providers: str | None
    tests: str | None
    asserts: str | None
    grader: str | None


class SuiteGridRunsItem(TypedDict):
    id: str
    created_at: str
    note: str | None
    git_branch: str | None
    git_commit: str | None
    config_digest: str | None
    digests: SuiteGridRunsItemDigests
    case_count: int
    pass_count: int
    fail_count: int
    error_count: int
    provider_ids: list[str]


SuiteGridRowsItemLastChange = TypedDict(
    "SuiteGridRowsItemLastChange",
    {
        "run_id": "str",
        "created_at": "str",
        "from": "str",
        "to": "str",
    },
)


class SuiteGridRowsItem(TypedDict):
    case_key: str
    test_id: str | None
    provider_id: str | None
    prompt_id: str | None
    repeat: int | None
    name: str | None
    marks: str
    values: NotRequired[list[float | None]]
    flips: int
    last_change: SuiteGridRowsItemLastChange | None
    passed: int
    counted: int


class SuiteGridNewestProvidersItem(TypedDict):
    provider_id: str
    passed: int
    total: int


class SuiteGrid(TypedDict):
    runs: list[SuiteGridRunsItem]
    rows: list[SuiteGridRowsItem]
    row_count: int
    fold: Literal["trials", "test"] | None
    newest_providers: list[SuiteGridNewestProvidersItem]
    next_cursor: str | None


class SuiteListSuitesItemSeriesItem(TypedDict):
    run_id: str
    created_at: str
    total: int
    passed: int
    pass_rate: float


class SuiteListSuitesItem(TypedDict):
    suite: str
    run_count: int
    last_run_at: str | None
    baseline_run_id: str | None
    series: list[SuiteListSuitesItemSeriesItem]


class SuiteList(TypedDict):
    project: str
    suites: list[SuiteListSuitesItem]


class SuiteSet(TypedDict):
    suite: str
    run_count: int
    last_run_at: int | None
    pass_count: int
    fail_count: int
    error_count: int
    case_count: int
    empty_count: NotRequired[int]
    latest_pass_rate: float | None
    sparkline: list[float]
    baseline_run_id: str | None
    restricted: bool
    my_level: Literal["view", "upload", "manage"] | None
    project: str


class SuiteSetView(TypedDict):
    suite: str
    run_count: int
    last_run_at: int | None
    pass_count: int
    fail_count: int
    error_count: int
    case_count: int
    empty_count: NotRequired[int]
    latest_pass_rate: float | None
    sparkline: list[float]
    baseline_run_id: str | None
    restricted: bool
    my_level: Literal["view", "upload", "manage"] | None


class SuiteSettingsOwner(TypedDict):
    name: str
    at: str
    by: str | None


class SuiteSettingsSnooze(TypedDict):
    until: str | None
    until_new_run: bool
    is_over: bool
    why: str | None
    at: str
    by: str | None


class SuiteSettingsArchive(TypedDict):
    why: str | None
    at: str
    by: str | None


class SuiteSettings(TypedDict):
    owner: SuiteSettingsOwner | None
    snooze: SuiteSettingsSnooze | None
    archive: SuiteSettingsArchive | None


class SuiteTrendRunsItemMeasuresScore(TypedDict):
    value: float
    lower: float | None
    upper: float | None
    cases: int
    from_cache: int


class SuiteTrendRunsItemMeasures(TypedDict):
    score: SuiteTrendRunsItemMeasuresScore | None
    cost_usd: SuiteTrendRunsItemMeasuresScore | None
    latency_p50_ms: SuiteTrendRunsItemMeasuresScore | None
    latency_p95_ms: SuiteTrendRunsItemMeasuresScore | None
    tokens: SuiteTrendRunsItemMeasuresScore | None


class SuiteTrendRunsItem(TypedDict):
    id: str
    created_at: str
    note: str | None
    git_branch: str | None
    git_commit: str | None
    passed: int
    total: int
    rate: float
    lower: float
    upper: float
    left_out: int
    shared: float
    partial: bool
    measures: SuiteTrendRunsItemMeasures


class SuiteTrendChangesItemBefore(TypedDict):
    passed: int
    total: int
    rate: float | None


class SuiteTrendChangesItem(TypedDict):
    run_id: str
    before: SuiteTrendChangesItemBefore
    after: SuiteTrendChangesItemBefore


class SuiteTrendMeasureChangesScoreItem(TypedDict):
    run_id: str
    before: float
    after: float


class SuiteTrendMeasureChanges(TypedDict):
    score: list[SuiteTrendMeasureChangesScoreItem]
    cost_usd: list[SuiteTrendMeasureChangesScoreItem]
    latency_p50_ms: list[SuiteTrendMeasureChangesScoreItem]
    latency_p95_ms: list[SuiteTrendMeasureChangesScoreItem]
    tokens: list[SuiteTrendMeasureChangesScoreItem]


class SuiteTrendBaseline(TypedDict):
    id: str
    created_at: str
    note: str | None
    measures: SuiteTrendRunsItemMeasures
    passed: int
    total: int
    rate: float
    lower: float
    upper: float
    in_runs: bool


class SuiteTrend(TypedDict):
    project: str
    suite: str
    branch: str | None
    providers: list[str]
    runs: list[SuiteTrendRunsItem]
    other_runs: int
    has_older: bool
    changes: list[SuiteTrendChangesItem]
    measure_changes: SuiteTrendMeasureChanges
    baseline: SuiteTrendBaseline | None
    flakiness: SuiteFlakiness | None


class TestOutputsColumnsItemOutput(TypedDict):
    text: str
    length: int
    truncated: bool


class TestOutputsColumnsItemAssertsItem(TypedDict):
    name: str | None
    kind: str
    negated: bool
    judge: str | None
    status: Literal["pass", "fail", "error", "skipped"]
    score: float
    weight: float
    threshold: float | None
    reason: TestOutputsColumnsItemOutput


class TestOutputsColumnsItem(TypedDict):
    run_id: str
    note: str | None
    project: str | None
    suite: str | None
    case_key: str
    name: str | None
    provider_id: str | None
    prompt_id: str | None
    model: str | None
    repeat: int | None
    status: Literal["pass", "fail", "error", "skip", "xfail", "xpass"]
    score: float | None
    error: str | None
    output: TestOutputsColumnsItemOutput | None
    prompt: TestOutputsColumnsItemOutput | None
    asserts: list[TestOutputsColumnsItemAssertsItem]
    tool_calls: list[str]
    latency_ms: int | None
    cost_usd: float | None
    input_tokens: int | None
    output_tokens: int | None


class TestOutputs(TypedDict):
    test_id: str
    name: str | None
    against: int
    same_prompt: bool | None
    columns: list[TestOutputsColumnsItem]
    left_out: int


class User(TypedDict):
    id: str
    username: str
    role: Literal["admin", "member", "viewer"]
    disabled: bool
    created_at: str
    email: str | None
    has_password: bool
    identities: list[LinkedIdentity]
    role_managed_by: str | None


class UserOverview(TypedDict):
    id: str
    username: str
    role: Literal["admin", "member", "viewer"]
    disabled: bool
    created_at: str
    email: str | None
    has_password: bool
    identities: list[LinkedIdentity]
    role_managed_by: str | None
    live_keys: int
    live_sessions: int
    grants: int
    last_seen_at: str | None


class UserOverviews(TypedDict):
    users: list[UserOverview]


class Users(TypedDict):
    users: list[User]


class Webhook(TypedDict):
    id: str
    url: str | None
    events: list[Literal["run.ingested", "run.regressed", "run.recovered", "run.costlier", "run.slower", "suite.changed", "baseline.pinned", "baseline.unpinned", "run.deleted"]]
    project: str | None
    suite: str | None
    created_at: str
    secret_changed_at: str
    former_secret_until: str | None
    disabled_at: str | None
    disabled_cause: Literal["gone"] | None


class WebhookDeliveries(TypedDict):
    deliveries: list[WebhookDelivery]
    next_cursor: str | None


class WebhookDelivery(TypedDict):
    id: str
    event: Literal["run.ingested", "run.regressed", "run.recovered", "run.costlier", "run.slower", "suite.changed", "baseline.pinned", "baseline.unpinned", "run.deleted", "webhook.test"]
    created_at: str
    state: Literal["waiting", "delivered", "parked"]
    tries: int
    next_try_at: str | None
    last_try_at: str | None
    last_status: int | None
    last_error: Literal["status", "redirect", "timeout", "address_refused", "name_not_resolved", "tls", "connection", "target_unreadable", "switched_off", "too_many_waiting", "refused"] | None


class WebhookTest(TypedDict):
    id: str


class WebhookWithSecret(TypedDict):
    id: str
    url: str | None
    events: list[Literal["run.ingested", "run.regressed", "run.recovered", "run.costlier", "run.slower", "suite.changed", "baseline.pinned", "baseline.unpinned", "run.deleted"]]
    project: str | None
    suite: str | None
    created_at: str
    secret_changed_at: str
    former_secret_until: str | None
    disabled_at: str | None
    disabled_cause: Literal["gone"] | None
    secret: str


class Webhooks(TypedDict):
    webhooks: list[Webhook]


class ChangeRunAnnotationsBody(TypedDict):
    title: NotRequired[str | None]
    note: NotRequired[str | None]
    add_tags: NotRequired[list[str]]
    remove_tags: NotRequired[list[str]]
    revision: NotRequired[str | None]


class CreateBadgeAnswer(TypedDict):
    url: str


class ChangeSuiteSettingsBodySnooze(TypedDict):
    until: NotRequired[str | None]
    until_new_run: NotRequired[bool]
    why: NotRequired[str | None]


class ChangeSuiteSettingsBodyArchive(TypedDict):
    why: NotRequired[str | None]


class ChangeSuiteSettingsBody(TypedDict):
    owner: NotRequired[str | None]
    snooze: NotRequired[ChangeSuiteSettingsBodySnooze | None]
    archive: NotRequired[ChangeSuiteSettingsBodyArchive | None]


class RegisterPlanBody(TypedDict):
    project: str
    suite: str
    text: NotRequired[str | None]
    plan_sha256: NotRequired[str | None]
    config_digest: NotRequired[str | None]
    metric: NotRequired[Literal["pass_rate"] | None]
    comparator: NotRequired[Literal[">=", ">"] | None]
    threshold: NotRequired[float | None]
    case_count: NotRequired[int | None]


class RevealPlanBody(TypedDict):
    text: str


class GrantProjectAccessBody(TypedDict):
    level: Literal["view", "upload", "manage"]


class PinBaselineBody(TypedDict):
    run_id: str


class PinBaselineAnswer(TypedDict):
    project: str
    suite: str
    run_id: str


class CreateFirstAccountBody(TypedDict):
    username: str
    password: str


class SignInBody(TypedDict):
    username: str
    password: str


class ChangePasswordBody(TypedDict):
    current_password: str
    new_password: str


class CreateViewBody(TypedDict):
    name: str
    path: str
    query: NotRequired[str | None]
    pinned: NotRequired[bool | None]


class ChangeViewBody(TypedDict):
    name: NotRequired[str | None]
    path: NotRequired[str | None]
    query: NotRequired[str | None]
    pinned: NotRequired[bool | None]
    position: NotRequired[float | None]
    shared: NotRequired[bool | None]


class CreateWebhookBody(TypedDict):
    url: str
    events: list[Literal["run.ingested", "run.regressed", "run.recovered", "run.costlier", "run.slower", "suite.changed", "baseline.pinned", "baseline.unpinned", "run.deleted"]]
    project: NotRequired[str | None]
    suite: NotRequired[str | None]


class CreateApiKeyBody(TypedDict):
    name: NotRequired[str | None]
    scope: NotRequired[Literal["read", "write", "admin"] | None]


class CreateUserBody(TypedDict):
    username: str
    password: str
    role: Literal["admin", "member", "viewer"]


class ChangeUserBody(TypedDict):
    role: NotRequired[Literal["admin", "member", "viewer"] | None]
    disabled: NotRequired[bool | None]
    password: NotRequired[str | None]


class EraseRecordsBody(TypedDict):
    reference: str
    dry_run: NotRequired[bool | None]
    run_id: NotRequired[str | None]
    user_id: NotRequired[str | None]
    seqs: NotRequired[list[int] | None]


class PlaceHoldBody(TypedDict):
    reference: str
    note: NotRequired[str | None]
    run_id: NotRequired[str | None]
    project: NotRequired[str | None]
    suite: NotRequired[str | None]


class LiftHoldBody(TypedDict):
    reference: str


__all__ = [
    "AccessList",
    "AccessOverviewTotals",
    "AccessOverviewAdminsOnlyItem",
    "AccessOverview",
    "AccessSet",
    "AccountKey",
    "AccountKeysTotals",
    "AccountKeys",
    "AnnotatedRun",
    "ApiKey",
    "ApiKeys",
    "AuditActor",
    "AuditEvent",
    "AuditList",
    "AuditRecord",
    "CacheEntry",
    "CacheEvictionGroupsItem",
    "CacheEvictionOther",
    "CacheEvictionTotal",
    "CacheEviction",
    "CacheFacetsKindsItem",
    "CacheFacets",
    "CacheItem",
    "CacheList",
    "CacheOverviewDaysItem",
    "CacheOverviewLimits",
    "CacheOverview",
    "CachePruned",
    "CacheRunsCasesItem",
    "CacheRuns",
    "CacheStats",
    "Case",
    "CaseFieldsFieldsItem",
    "CaseFieldsGroupsItemPasses",
    "CaseFieldsGroupsItem",
    "CaseFields",
    "CaseHistoryPointsItem",
    "CaseHistory",
    "CaseInSuite",
    "CaseList",
    "CaseListItemAssertsItem",
    "CaseListItem",
    "CaseListRow",
    "CaseRows",
    "CaseSearchTestsItemCasesItem",
    "CaseSearchTestsItem",
    "CaseSearchFacetsSuitesItem",
    "CaseSearchFacetsStatusesItem",
    "CaseSearchFacets",
    "CaseSearchWordsItem",
    "CaseSearch",
    "CaseTimelineCounted",
    "CaseTimelineRunsItemFailedAssertsItem",
    "CaseTimelineRunsItem",
    "CaseTimeline",
    "CheckpointListCheckpointsItemCosignedByItem",
    "CheckpointListCheckpointsItem",
    "CheckpointList",
    "Clash",
    "ComparedCasesCounts",
    "ComparedCasesLinkedBase",
    "ComparedCasesLinkedFlipsItem",
    "ComparedCasesLinked",
    "ComparedCases",
    "ComparedConfigs",
    "ComparisonStatisticsBaseColumn",
    "ComparisonStatisticsBasePassRate",
    "ComparisonStatisticsBaseCost",
    "ComparisonStatisticsBase",
    "ComparisonStatisticsShared",
    "ComparisonStatisticsDifference",
    "ComparisonStatisticsLeftOutBy",
    "ComparisonStatisticsNoticeable",
    "ComparisonStatisticsScoresDifference",
    "ComparisonStatisticsScoresBootstrap",
    "ComparisonStatisticsScores",
    "ComparisonStatisticsClusteredPasses",
    "ComparisonStatisticsClustered",
    "ComparisonStatisticsLatencyMsRatio",
    "ComparisonStatisticsLatencyMs",
    "ComparisonStatistics",
    "ConsistencyProof",
    "DistributionScoreBinsItemCounts",
    "DistributionScoreBinsItem",
    "DistributionScore",
    "DistributionLatencyMs",
    "DistributionFacetsTagItem",
    "DistributionFacets",
    "DistributionColumnsItemOverCases",
    "DistributionColumnsItem",
    "Distribution",
    "Done",
    "Erased",
    "Error",
    "FoundAccountsAccountsItem",
    "FoundAccounts",
    "Grant",
    "Health",
    "Hold",
    "HoldList",
    "ImportRefusedRefusedItem",
    "ImportRefused",
    "ImportResultRunsItem",
    "ImportResultLossesItem",
    "ImportResultScoresItem",
    "ImportResult",
    "InclusionProof",
    "Ingested",
    "LeaderboardColumnsItemPassKItem",
    "LeaderboardColumnsItemLatencyMs",
    "LeaderboardColumnsItemAgainstBase",
    "LeaderboardColumnsItem",
    "Leaderboard",
    "LinkedIdentity",
    "ManyRunsRunsItem",
    "ManyRunsCounts",
    "ManyRunsRowsItemCellsItem",
    "ManyRunsRowsItem",
    "ManyRuns",
    "MatrixColumnsItem",
    "MatrixRowsItem",
    "MatrixProviderCostsItem",
    "Matrix",
    "MatrixCell",
    "MatrixRowsRange",
    "MatrixRowsRowsItemCellsItem",
    "MatrixRowsRowsItem",
    "MatrixRows",
    "Me",
    "MetaCache",
    "MetaSsoProvidersItem",
    "MetaCacheTiersItem",
    "Meta",
    "MintedApiKey",
    "NearestRunNearest",
    "NearestRunOthers",
    "NearestRun",
    "OverviewCounts",
    "OverviewProjectsItem",
    "OverviewActivityDaysItem",
    "OverviewActivity",
    "OverviewLatestRunsItem",
    "Overview",
    "OverviewSuiteReasonStillFailing",
    "OverviewSuiteReason",
    "OverviewSuitePreviousRun",
    "OverviewSuiteBaseline",
    "OverviewSuite",
    "OwnSession",
    "OwnSessions",
    "OwnUser",
    "Plan",
    "PlanDetail",
    "PlanList",
    "PreviousRunPrevious",
    "PreviousRun",
    "ProjectListProjectsItem",
    "ProjectList",
    "ProjectSet",
    "ProjectSetView",
    "ProjectSets",
    "Readiness",
    "ReceiptOpening",
    "Receipt",
    "Retention",
    "RunAdded",
    "RunAnnotations",
    "RunComparisonSummary",
    "RunComparisonCasesItemAssertFlipsItem",
    "RunComparisonCasesItem",
    "RunComparisonStatsMcnemar",
    "RunComparisonStats",
    "RunComparisonTotalsBase",
    "RunComparisonTotals",
    "RunComparisonConfigComponentsItem",
    "RunComparisonConfig",
    "RunComparison",
    "RunConfig",
    "RunDetail",
    "RunDocumentCasesItemCell",
    "RunDocumentCasesItem",
    "RunDocumentSummary",
    "RunDocument",
    "RunFacetsProjectsItem",
    "RunFacetsSuitesItem",
    "RunFacets",
    "RunInSuiteSet",
    "RunInSuite",
    "RunList",
    "RunListItem",
    "RunPlan",
    "RunSearchRunsItem",
    "RunSearch",
    "RunStatisticsPasses",
    "RunStatisticsClusteredPasses",
    "RunStatisticsClustered",
    "RunStatisticsTrialsVariance",
    "RunStatisticsTrials",
    "RunStatisticsPassKItem",
    "RunStatisticsLatencyMs",
    "RunStatistics",
    "SavedView",
    "SavedViews",
    "SearchHitsCasesItem",
    "SearchHits",
    "ServerStorage",
    "ServerRetention",
    "ServerLog",
    "ServerContents",
    "ServerReadTablesItem",
    "ServerLastStart",
    "ServerLast",
    "Server",
    "SessionsEnded",
    "SharedView",
    "SignedIn",
    "SuiteFlakinessRunsItem",
    "SuiteFlakinessCasesItem",
    "SuiteFlakiness",
    "SuiteGridRunsItemDigests",
    "SuiteGridRunsItem",
    "SuiteGridRowsItemLastChange",
    "SuiteGridRowsItem",
    "SuiteGridNewestProvidersItem",
    "SuiteGrid",
    "SuiteListSuitesItemSeriesItem",
    "SuiteListSuitesItem",
    "SuiteList",
    "SuiteSet",
    "SuiteSetView",
    "SuiteSettingsOwner",
    "SuiteSettingsSnooze",
    "SuiteSettingsArchive",
    "SuiteSettings",
    "SuiteTrendRunsItemMeasuresScore",
    "SuiteTrendRunsItemMeasures",
    "SuiteTrendRunsItem",
    "SuiteTrendChangesItemBefore",
    "SuiteTrendChangesItem",
    "SuiteTrendMeasureChangesScoreItem",
    "SuiteTrendMeasureChanges",
    "SuiteTrendBaseline",
    "SuiteTrend",
    "TestOutputsColumnsItemOutput",
    "TestOutputsColumnsItemAssertsItem",
    "TestOutputsColumnsItem",
    "TestOutputs",
    "User",
    "UserOverview",
    "UserOverviews",
    "Users",
    "Webhook",
    "WebhookDeliveries",
    "WebhookDelivery",
    "WebhookTest",
    "WebhookWithSecret",
    "Webhooks",
    "ChangeRunAnnotationsBody",
    "CreateBadgeAnswer",
    "ChangeSuiteSettingsBodySnooze",
    "ChangeSuiteSettingsBodyArchive",
    "ChangeSuiteSettingsBody",
    "RegisterPlanBody",
    "RevealPlanBody",
    "GrantProjectAccessBody",
    "PinBaselineBody",
    "PinBaselineAnswer",
    "CreateFirstAccountBody",
    "SignInBody",
    "ChangePasswordBody",
    "CreateViewBody",
    "ChangeViewBody",
    "CreateWebhookBody",
    "CreateApiKeyBody",
    "CreateUserBody",
    "ChangeUserBody",
    "EraseRecordsBody",
    "PlaceHoldBody",
    "LiftHoldBody",
]

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
    scope: Literal["review", "read", "write", "admin"]
    expires_at: str | None
    project: str | None
    suite: str | None
    created_at: str
    last_used_at: str | None
    revoked: bool
    user_id: str
    username: str
    role: Literal["admin", "member", "viewer", "reviewer"]
    state: Literal["usable", "disabled", "expired", "revoked"]
    effective_scope: Literal["review", "read", "write", "admin"]


class AccountKeysTotals(TypedDict):
    matching: int
    usable: int
    disabled: int
    expired: int
    revoked: int


class AccountKeys(TypedDict):
    keys: list[AccountKey]
    next_cursor: str | None
    totals: AccountKeysTotals | None


class AccountLink(TypedDict):
    id: str
    kind: Literal["invite", "reset"]
    label: str | None
    user_id: str | None
    username: str | None
    role: Literal["admin", "member", "viewer", "reviewer"] | None
    grants: list[InvitedGrant]
    created_at: str
    created_by: str | None
    expires_at: str
    state: Literal["open", "expired", "void"]


class AccountLinks(TypedDict):
    links: list[AccountLink]


class AgreementCoefficientValue(TypedDict):
    estimate: float
    se: float
    lower: float
    upper: float
    observed: float
    expected: float
    units: int


class AgreementCoefficient(TypedDict):
    value: AgreementCoefficientValue | None
    reason: Literal["fewer_than_two_items", "one_category", "not_for_sets", "not_two_people", "not_three_people"] | None


class AnnotatedRun(TypedDict):
    added: RunAdded | None


class ApiKey(TypedDict):
    id: str
    name: str | None
    prefix: str
    scope: Literal["review", "read", "write", "admin"]
    expires_at: str | None
    project: str | None
    suite: str | None
    created_at: str
    last_used_at: str | None
    revoked: bool


class ApiKeys(TypedDict):
    keys: list[ApiKey]


class AttachedEvidence(TypedDict):
    n: int


class AuditActor(TypedDict):
    kind: Literal["anonymous", "static", "session", "apikey", "cli", "system"]
    scope: Literal["review", "read", "write", "admin"] | None
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


class CalibratedRateValue(TypedDict):
    estimate: float
    lower: float
    upper: float
    reason: None
    groups: int | None
    design_effect: float | None
    clipped: float


class CalibratedRateValue2(TypedDict):
    reason: Literal["judge_unknown", "no_labels", "few_cases", "few_labels", "uninformative_judge", "outside_calibration"]


CalibratedRate = CalibratedRateValue | CalibratedRateValue2


class Case(TypedDict):
    case_key: str
    evidence: NotRequired[CaseEvidenceCounts]


class CaseEvidenceCounts(TypedDict):
    parts: int
    bytes: int
    transcripts: int


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


class CaseInSuiteCase(TypedDict):
    case_key: str


class CaseInSuite(TypedDict):
    case: CaseInSuiteCase
    test: CaseList
    history: CaseHistory | None
    runs: RunList | None
    comments: int


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


class CaseParts(TypedDict):
    parts: list[EvidencePart]


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


class Comment(TypedDict):
    id: str
    case_key: str | None
    case_name: str | None
    text: str
    at: str
    by: str | None
    may_delete: bool


class CommentList(TypedDict):
    comments: list[Comment]
    total: int
    next_cursor: str | None


class CommentSearchCommentsItem(TypedDict):
    id: str
    run_id: str
    run_note: str | None
    project: str | None
    suite: str | None
    case_key: str | None
    case_name: str | None
    snippet: str
    at: str
    by: str | None


class CommentSearch(TypedDict):
    comments: list[CommentSearchCommentsItem]
    next_cursor: str | None


class ComparedCalibrationBase(TypedDict):
    run_id: str
    judge_id: str | None


class ComparedCalibrationRubric(TypedDict):
    id: str
    first: int
    last: int
    valid_days: int
    changed_in: int | None


class ComparedCalibrationGiven(TypedDict):
    """The labels that people gave in these queues"""

    labels: int
    people: int
    enforced: int
    trusted: int
    unknown: int
    recognised: int
    own_run: int


class ComparedCalibrationJudgeAlone(TypedDict):
    verdict: Literal["better", "worse", "no_clear_change", "too_few"]
    p_value: float | None
    mid_p: float | None
    difference: Estimate | None


class ComparedCalibrationCorrected(TypedDict):
    estimate: float
    lower: float
    upper: float
    skewed: bool


class ComparedCalibrationErrsAlike(TypedDict):
    p_passed: float | None
    p_failed: float | None
    favours: bool


class ComparedCalibration(TypedDict):
    base: ComparedCalibrationBase
    head: ComparedCalibrationBase
    target: Literal["case", "metric"]
    metric: str | None
    as_of: int | None
    cluster_by: str
    rubric: ComparedCalibrationRubric | None
    queues: list[str]
    labels_sha256: str | None
    given: ComparedCalibrationGiven
    pairs: int
    judge_alone: ComparedCalibrationJudgeAlone
    method: Literal["labels_in_both", "same_judge"] | None
    corrected: ComparedCalibrationCorrected | None
    reason: Literal["no_pairs", "judge_unknown", "judge_changed", "no_labels", "few_labels", "judge_favours", "uninformative_judge"] | None
    labels: int
    errs_alike: ComparedCalibrationErrsAlike | None
    sentence: str


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
    name: str | None
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


class ComparedGroupsFieldsItem(TypedDict):
    field: str
    values: int


class ComparedGroupsGroupsItem(TypedDict):
    verdict: Literal["better", "worse", "no_clear_change", "too_few"]
    pairs: int
    worse: int
    better: int
    p_value: float | None
    mid_p: float | None
    difference: Estimate | None
    shared: int
    adjusted_p: float | None
    removed_by_adjustment: bool
    value: str | None
    cases: int
    base_passed: int
    head_passed: int
    cases_worse: int
    cases_better: int


class ComparedGroups(TypedDict):
    base: str
    head: str
    joined_by: Literal["case_key", "test_prompt_repeat", "test_repeat"]
    fields: list[ComparedGroupsFieldsItem]
    groups: list[ComparedGroupsGroupsItem]
    group_count: int


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
    difference: Estimate | None
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
    judge_changed: NotRequired[list[JudgeChange]]
    judged: NotRequired[Literal[True]]


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


class DeclaredJudge(TypedDict):
    metric: str
    is_judge: bool


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
    cost_cases: int
    cost_usd_mean: float | None


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
    parts: int
    shared_parts: int
    objects_pending: int
    dry_run: bool


class Error(TypedDict):
    error: str


class Estimate(TypedDict):
    estimate: float
    lower: float
    upper: float


class EvenTest(TypedDict):
    first: int
    second: int
    p_value: float


class EvidenceCounts(TypedDict):
    parts: int
    bytes: int


class EvidenceItem(TypedDict):
    n: int
    manifest_sha256: str
    manifest_bytes: int
    part_count: int
    part_bytes: int
    attached_at: str


class EvidenceList(TypedDict):
    evidence: list[EvidenceItem]
    originals: list[EvidencePart]


class EvidencePartFrom(TypedDict):
    sha256: str | None
    path: str | None


EvidencePart = TypedDict(
    "EvidencePart",
    {
        "sha256": "str",
        "bytes": "int",
        "role": "Literal[\"original\", \"transcript\", \"input\", \"output\", \"grading\", \"other\"]",
        "case_key": "str | None",
        "name": "str | None",
        "media_type": "str | None",
        "from": "EvidencePartFrom | None",
    },
)


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
    managed_by: str | None


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
    outcome: Literal["imported", "new", "already_there", "changed", "evidence_added"]
    cases: int | None
    statuses: dict[str, int] | None
    created_at: str | None


class ImportResultLossesItem(TypedDict):
    kind: Literal["left_out", "cut", "changed", "assumed", "contradicted", "original_only"]
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


class ImportedLabelsLeftOutItem(TypedDict):
    reason: Literal["not_by_a_person", "cancelled", "not_submitted", "other_question", "no_answer", "unmatched", "ambiguous", "not_judged", "comment", "column"]
    count: int
    first: list[str]


class ImportedLabels(TypedDict):
    queue: ReviewQueue | None
    labels: int
    repeated: int
    left_out: list[ImportedLabelsLeftOutItem]


class ImportedSamples(TypedDict):
    project: str
    loaded: int
    already_there: int


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


class InvitedGrant(TypedDict):
    project: str
    suite: str | None
    level: Literal["view", "upload", "manage"]


class Judge(TypedDict):
    """Everything that may change the verdicts of a judge"""

    kind: Literal["llm-rubric", "exec", "similar"]
    type: str | None
    model: str | None
    params: Any
    template: str | None
    include_tool_calls: bool
    negate: bool
    threshold: float | None
    program: str | None


class JudgeChange(TypedDict):
    metric: str
    before: str
    after: str
    differs: list[Literal["kind", "type", "model", "params", "template", "include_tool_calls", "negate", "threshold", "program"]]


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
    difference: Estimate | None
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


class MadeAccountLink(TypedDict):
    id: str
    kind: Literal["invite", "reset"]
    label: str | None
    user_id: str | None
    username: str | None
    role: Literal["admin", "member", "viewer", "reviewer"] | None
    grants: list[InvitedGrant]
    created_at: str
    created_by: str | None
    expires_at: str
    state: Literal["open", "expired", "void"]
    secret: str
    path: str


class ManyRunsRunsItem(TypedDict):
    run: ComparisonStatisticsBase
    score_mean: float | None
    latency_ms_median: float | None
    latency_ms_p95: float | None
    cost_usd_median: float | None
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
    value: Literal["score", "pass", "latency", "cost", "outputs"]
    row_count: int
    range: MatrixRowsRange
    rows: list[MatrixRowsRowsItem]
    next_cursor: str | None


class Me(TypedDict):
    authenticated: bool
    user: OwnUser | None
    source: Literal["anonymous", "static", "apikey", "session"]
    scope: Literal["review", "read", "write", "admin"] | None


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
    scope: Literal["review", "read", "write", "admin"]
    expires_at: str | None
    project: str | None
    suite: str | None
    created_at: str
    last_used_at: str | None
    revoked: bool
    key: str


class MissingParts(TypedDict):
    missing: list[str]


class MyReviewItemRubric(TypedDict):
    id: str
    version: int
    name: str
    text: str
    questions: list[RubricQuestion]


class MyReviewItemPartsItem(TypedDict):
    field: str
    label: str
    value: Any


class MyReviewItemLabelsItem(TypedDict):
    id: str
    answers: dict[str, Any]
    texts: dict[str, Any] | None
    seconds: float
    recognised: bool
    standing: bool
    withdrawn: bool


class MyReviewItemToDecideItem(TypedDict):
    answers: dict[str, Any]
    texts: dict[str, Any] | None


class MyReviewItem(TypedDict):
    id: str
    queue_id: str
    role: Literal["reviewer", "adjudicator"]
    closed: bool
    rubric: MyReviewItemRubric
    parts: list[MyReviewItemPartsItem]
    sides: list[list[MyReviewItemPartsItem]] | None
    labels: list[MyReviewItemLabelsItem]
    to_decide: list[MyReviewItemToDecideItem] | None


class MyReviewItems(TypedDict):
    items: list[MyReviewItem]


class MyReviewQueuesQueuesItem(TypedDict):
    id: str
    name: str
    role: Literal["reviewer", "adjudicator"]
    left: int
    done: int
    closed_at: str | None


class MyReviewQueues(TypedDict):
    queues: list[MyReviewQueuesQueuesItem]


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
    title: str | None


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
    code: Literal["worse", "lost", "judge", "cost", "latency", "flaky", "errors", "stale", "better", "no_clear_change", "too_few", "unchanged", "first_run", "other_providers", "other_cases"]
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
    metrics: NotRequired[int]
    differs: NotRequired[list[Literal["kind", "type", "model", "params", "template", "include_tool_calls", "negate", "threshold", "program"]]]
    flaky: NotRequired[int]
    errors: NotRequired[int]
    idle_ms: NotRequired[float]
    usual_gap_ms: NotRequired[float]
    is_baseline: NotRequired[bool]
    runs: NotRequired[int]
    providers: NotRequired[int]
    still_failing: NotRequired[OverviewSuiteReasonStillFailing]


class OverviewSuiteNewestRun(TypedDict):
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
    newest_run: OverviewSuiteNewestRun
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
    role: Literal["admin", "member", "viewer", "reviewer"]
    has_password: bool
    identities: list[LinkedIdentity]
    role_managed_by: str | None


class PartReceived(TypedDict):
    sha256: str
    bytes: int
    received: int
    complete: bool


class PartUpload(TypedDict):
    bytes: int
    received: int
    missing: list[list[Any]]
    complete: bool


class PartsReceivedPartsItem(TypedDict):
    sha256: str
    bytes: int


class PartsReceived(TypedDict):
    parts: list[PartsReceivedPartsItem]


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
    judge_changed: NotRequired[list[JudgeChange]]


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


class RecordedLabel(TypedDict):
    label_id: str


class RemovedSamples(TypedDict):
    removed: int
    held: int


class Retention(TypedDict):
    dry_run: bool
    runs: int
    cache_entries: int


class ReviewAgreementCohen(TypedDict):
    kappa: float | None
    se: NotRequired[float]
    items: NotRequired[int]
    reason: NotRequired[Literal["fewer_than_two_items", "one_category", "not_for_sets", "not_two_people", "not_three_people"]]


class ReviewAgreementPeopleItemAgreesWithFinal(TypedDict):
    agree: int
    of: int


class ReviewAgreementPeopleItem(TypedDict):
    person: str
    labels: int
    agrees_with_final: ReviewAgreementPeopleItemAgreesWithFinal
    pass_share: float | None
    cannot_tell: int
    median_seconds: float | None
    rushed: bool


class ReviewAgreementPreference(TypedDict):
    options: EvenTest
    sides: EvenTest
    ties: int


class ReviewAgreement(TypedDict):
    kind: str
    items: int
    percent: Estimate | None
    ac: AgreementCoefficient
    alpha: AgreementCoefficient
    cohen: ReviewAgreementCohen
    fleiss: AgreementCoefficient
    pass_share: float | None
    many_passes: bool
    people: list[ReviewAgreementPeopleItem]
    preference: ReviewAgreementPreference | None


class ReviewItemListItemsItemSecond(TypedDict):
    run_id: str
    case_key: str


class ReviewItemListItemsItemLabelsItem(TypedDict):
    letter: str
    decides: str | None
    answers: dict[str, Any]
    texts: dict[str, Any] | None
    seconds: float | None
    blind: str
    recognised: bool
    adjudicates: bool
    own_run: bool


class ReviewItemListItemsItem(TypedDict):
    id: str
    run_id: str | None
    case_key: str | None
    test_id: str | None
    name: str | None
    second: ReviewItemListItemsItemSecond | None
    judge_id: str | None
    verdict: Literal["pass", "fail"] | None
    state: Literal["open", "waiting", "final", "gone"] | None
    final: str | None
    final_score: float | None
    labels: list[ReviewItemListItemsItemLabelsItem] | None


class ReviewItemList(TypedDict):
    items: list[ReviewItemListItemsItem]
    next_cursor: str | None


class ReviewQueueSelection(TypedDict):
    kind: str
    count: NotRequired[int]
    passed: NotRequired[int]
    failed: NotRequired[int]
    half_width: NotRequired[float | None]
    format: NotRequired[str]


class ReviewQueueRunsItem(TypedDict):
    run_id: str | None
    judge_id: str | None
    passed: int
    failed: int
    other: int


class ReviewQueueProgress(TypedDict):
    given: int
    started: int
    full: int
    declined: int
    gone: int | None
    erased: int
    final: int | None
    waiting: int | None


class ReviewQueuePeopleItem(TypedDict):
    letter: str
    name: str | None
    role: Literal["reviewer", "adjudicator"]
    labelled: int | None
    declined: int | None


class ReviewQueue(TypedDict):
    id: str
    project: str
    suite: str
    rubric_id: str
    rubric_version: int
    name: str
    target: Literal["case", "metric"]
    metric: str | None
    per_item: int
    resolve: Literal["adjudicate", "majority"]
    selection: ReviewQueueSelection
    seed: str
    targeted: bool
    runs: list[ReviewQueueRunsItem]
    items: int
    opened_at: str
    opened_by: str | None
    closed_at: str | None
    cause: Literal["complete", "request"] | None
    progress: ReviewQueueProgress | None
    people: list[ReviewQueuePeopleItem]
    my_role: Literal["reviewer", "adjudicator"] | None


class ReviewQueueList(TypedDict):
    queues: list[ReviewQueue]
    next_cursor: str | None


class ReviewQueuePreviewGroupsPassed(TypedDict):
    cases: int
    taken: int


class ReviewQueuePreviewGroups(TypedDict):
    passed: ReviewQueuePreviewGroupsPassed
    failed: ReviewQueuePreviewGroupsPassed


class ReviewQueuePreview(TypedDict):
    items: int
    targeted: bool
    seed: str
    groups: ReviewQueuePreviewGroups
    half_width: float | None


class RubricShowItem(TypedDict):
    field: str
    label: str


class Rubric(TypedDict):
    id: str
    name: str
    project: str
    suite: str
    version: int
    text_sha256: str
    change: Literal["wording", "meaning"] | None
    valid_days: int
    versioned_by: str | None
    versioned_at: str
    retired_at: str | None
    questions: list[RubricQuestion]
    show: list[RubricShowItem]


class RubricDetail(TypedDict):
    id: str
    name: str
    project: str
    suite: str
    version: int
    text_sha256: str
    change: Literal["wording", "meaning"] | None
    valid_days: int
    versioned_by: str | None
    versioned_at: str
    retired_at: str | None
    questions: list[RubricQuestion]
    show: list[RubricShowItem]
    text: str


class RubricList(TypedDict):
    rubrics: list[Rubric]
    next_cursor: str | None


RubricOption = TypedDict(
    "RubricOption",
    {
        "key": "str",
        "label": "str",
        "pass": "NotRequired[bool]",
    },
)


class RubricQuestion(TypedDict):
    key: str
    kind: Literal["verdict", "score", "category", "categories", "preference", "comment", "span"]
    label: str
    deciding: bool
    min: NotRequired[float]
    max: NotRequired[float]
    step: NotRequired[float]
    pass_from: NotRequired[float]
    options: NotRequired[list[RubricOption]]


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


class RunCalibrationReasonsItem(TypedDict):
    state: Literal["stale", "weak", "none"]
    code: str
    text: str


class RunCalibrationJudgeAlone(TypedDict):
    """By the judge, and by status where no judge decides"""

    passed: int
    total: int
    rate: float
    lower: float
    upper: float


class RunCalibrationAsIs(TypedDict):
    """Cases that no judge decided"""

    passed: int
    total: int


class RunCalibrationLabels(TypedDict):
    x1: int
    m1: int
    x0: int
    m0: int
    total: int
    other_criterion: int
    runs: int
    newest_at: str | None
    of_passed: ComparisonStatisticsBasePassRate
    of_failed: ComparisonStatisticsBasePassRate


class RunCalibrationPool(TypedDict):
    passed: int
    total: int


class RunCalibrationJudge(TypedDict):
    human_rate: Estimate
    sensitivity: Estimate
    specificity: Estimate
    youden: Estimate
    agreement: Estimate
    kappa: Estimate
    ac1: Estimate


class RunCalibrationPeopleAc1(TypedDict):
    estimate: float
    lower: float
    upper: float
    se: float
    observed: float
    expected: float
    units: int


class RunCalibrationPeople(TypedDict):
    items: int
    percent: Estimate | None
    ac1: RunCalibrationPeopleAc1 | None
    alpha: RunCalibrationPeopleAc1 | None
    pass_share: float | None
    many_passes: bool


RunCalibrationScore = TypedDict(
    "RunCalibrationScore",
    {
        "estimate": "float",
        "lower": "float",
        "upper": "float",
        "lambda": "float",
        "se": "float",
        "df": "float",
        "skewness": "float | None",
        "labels": "int",
        "skewed": "bool",
    },
)


class RunCalibrationCoverage(TypedDict):
    tests: int
    in_pool: int
    other_criterion: int


class RunCalibrationDrift(TypedDict):
    p_passed: float | None
    p_failed: float | None
    drifted: bool


class RunCalibrationPlansItemMore(TypedDict):
    passed: int
    failed: int


class RunCalibrationPlansItem(TypedDict):
    half_width: float
    labels: int | None
    more: RunCalibrationPlansItemMore | None
    reason: Literal["run_too_small", "too_few_cases"] | None
    run_half_width: float


class RunCalibration(TypedDict):
    run_id: str
    target: Literal["case", "metric"]
    metric: str | None
    as_of: int | None
    cluster_by: str
    rubric: ComparedCalibrationRubric | None
    queues: list[str]
    labels_sha256: str | None
    given: ComparedCalibrationGiven
    judge_id: str | None
    other_judges: int
    state: Literal["good", "stale", "weak", "none"]
    reasons: list[RunCalibrationReasonsItem]
    sentence: str
    judge_alone: RunCalibrationJudgeAlone
    method: Literal["own", "carried_over"] | None
    rate: CalibratedRate
    own: CalibratedRate
    carried_over: CalibratedRate
    finding: Literal["passes_too_much", "passes_too_little", "no_clear_difference"] | None
    as_is: RunCalibrationAsIs
    labels: RunCalibrationLabels
    pool: RunCalibrationPool
    judge: RunCalibrationJudge | None
    people: RunCalibrationPeople
    score: RunCalibrationScore | None
    coverage: RunCalibrationCoverage | None
    drift: RunCalibrationDrift | None
    plans: list[RunCalibrationPlansItem]


class RunChangesRunsItemPrevious(TypedDict):
    id: str
    worse: int
    better: int


class RunChangesRunsItem(TypedDict):
    run_id: str
    previous: RunChangesRunsItemPrevious | None


class RunChanges(TypedDict):
    runs: list[RunChangesRunsItem]


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


class RunDetailPassInterval(TypedDict):
    """The 95 % interval of the pass rate over tests, of a run whose tests have several trials. Without it, the interval is that of Wilson over cases."""

    lower: float
    upper: float


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
    pass_interval: NotRequired[RunDetailPassInterval]
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
    evidence: NotRequired[EvidenceCounts]
    judges: NotRequired[list[RunJudge]]
    judge_changed: NotRequired[list[JudgeChange]]


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


class RunFacetsProvidersItem(TypedDict):
    provider: str
    run_count: int


class RunFacets(TypedDict):
    projects: list[RunFacetsProjectsItem]
    suites: list[RunFacetsSuitesItem]
    providers: list[RunFacetsProvidersItem]


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
    pass_interval: NotRequired[RunDetailPassInterval]
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
    evidence: NotRequired[EvidenceCounts]
    judges: NotRequired[list[RunJudge]]
    judge_changed: NotRequired[list[JudgeChange]]
    set: RunInSuiteSet | None
    previous: PreviousRunPrevious | None
    comments: int


class RunJudge(TypedDict):
    metric: str
    judge_id: str | None
    judge: Judge
    passed: int
    failed: int
    other: int


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
    pass_interval: NotRequired[RunDetailPassInterval]
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float | None
    duration_ms: int
    cache_hits: int | None
    cache_misses: int | None
    empty_count: NotRequired[int]
    providers: NotRequired[list[str]]
    provider_count: NotRequired[int]
    actor: str | None
    host: str | None
    uploaded_by: str | None
    ci_provider: str | None
    ci_run_url: str | None
    note: str | None
    service_version: str | None
    tags: list[str]
    uploaded_at: str
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


class ServerObjectStore(TypedDict):
    location: str
    is_up: bool
    objects_pending: int
    documents_pending: int


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


class ServerContentsPartBytes(TypedDict):
    database: int
    table: int
    files: int
    s3: int


class ServerContents(TypedDict):
    """The bytes of parts are counted at most every ten minutes; all else is of now"""

    runs: int
    cases: int
    documents_bytes: int
    cache_entries: int
    cache_bytes: int
    database_bytes: int
    part_bytes: ServerContentsPartBytes
    part_bytes_counted_at: str


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
    object_store: ServerObjectStore | None
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


class ShownInvite(TypedDict):
    role: Literal["admin", "member", "viewer", "reviewer"]
    grants: list[InvitedGrant]
    invited_by: str | None
    expires_at: str


class ShownResetLink(TypedDict):
    username: str
    expires_at: str


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


class SuiteGridRunsItemPassInterval(TypedDict):
    lower: float
    upper: float


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
    pass_interval: NotRequired[SuiteGridRunsItemPassInterval]
    fail_count: int
    error_count: int
    provider_ids: list[str]
    cost_usd_median: NotRequired[float | None]
    latency_ms_median: NotRequired[float | None]


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


class SuiteJudgesMetricsItemJudgesItem(TypedDict):
    judge_id: str | None
    judge: Judge
    passed: int
    failed: int
    other: int
    runs: int
    first_run: SuiteFlakinessRunsItem
    last_run: SuiteFlakinessRunsItem


class SuiteJudgesMetricsItem(TypedDict):
    metric: str
    kind: Literal["llm-rubric", "exec", "similar"]
    is_judge: bool
    judges: list[SuiteJudgesMetricsItemJudgesItem]


class SuiteJudges(TypedDict):
    project: str
    suite: str
    metrics: list[SuiteJudgesMetricsItem]


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


class SuiteSettingsCost(TypedDict):
    rise_percent: int
    at: str
    by: str | None


class SuiteSettings(TypedDict):
    owner: SuiteSettingsOwner | None
    snooze: SuiteSettingsSnooze | None
    archive: SuiteSettingsArchive | None
    cost: SuiteSettingsCost | None
    latency: SuiteSettingsCost | None


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


class SuiteTrendJudgeChangesItem(TypedDict):
    run_id: str
    judges: list[JudgeChange]


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
    judge_changes: NotRequired[list[SuiteTrendJudgeChangesItem]]
    judged: NotRequired[bool]
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


class TranscriptBinsLanesItem(TypedDict):
    lane: int
    bins: list[list[Any]]


class TranscriptBins(TypedDict):
    width: float
    lanes: list[TranscriptBinsLanesItem]


class TranscriptEvent(TypedDict):
    n: int
    event: NotRequired[Any]
    text: NotRequired[str]
    cut: NotRequired[Literal[True]]


class TranscriptEvents(TypedDict):
    events: list[TranscriptEvent]
    next: int | None


class TranscriptMatches(TypedDict):
    events: list[int]
    next: int | None
    upto: int
    complete: bool


class TranscriptOutline(TypedDict):
    events: list[TranscriptOutlineItem]
    next: int | None
    complete: bool


class TranscriptOutlineItem(TypedDict):
    n: int
    type: Literal["span", "span_end", "message", "model", "tool", "state", "score", "limit", "error", "approval", "input", "log", "other", "text"]
    bytes: int
    span: int
    at: float | None
    ms: float | None
    input_tokens: float | None
    output_tokens: float | None
    cost_usd: float | None
    error: bool
    media: bool
    name: str | None
    label: str
    message: int | None
    signature: str


class TranscriptSpan(TypedDict):
    n: int
    parent: int
    depth: int
    lane: int
    name: str | None
    kind: str | None
    at: float | None
    ms: float | None
    events: int
    errors: int
    limits: int


class TranscriptSummary(TypedDict):
    sha256: str
    bytes: int
    outlined: int
    complete: bool
    source: dict[str, str] | None
    agent: dict[str, str] | None
    events: int
    messages: int
    types: dict[str, int]
    errors: int
    skipped: int
    missing_parents: int
    more_spans: int
    input_tokens: float | None
    output_tokens: float | None
    cost_usd: float | None
    first_at: float | None
    last_at: float | None
    spans: list[TranscriptSpan]
    bins: TranscriptBins | None


class User(TypedDict):
    id: str
    username: str
    role: Literal["admin", "member", "viewer", "reviewer"]
    disabled: bool
    created_at: str
    email: str | None
    has_password: bool
    service: bool
    identities: list[LinkedIdentity]
    role_managed_by: str | None


class UserOverview(TypedDict):
    id: str
    username: str
    role: Literal["admin", "member", "viewer", "reviewer"]
    disabled: bool
    created_at: str
    email: str | None
    has_password: bool
    service: bool
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
    format: Literal["standard", "slack", "teams", "discord", "email"] | None
    events: list[Literal["run.ingested", "run.regressed", "run.recovered", "run.costlier", "run.slower", "judge.changed", "suite.changed", "review.completed", "baseline.pinned", "baseline.unpinned", "run.deleted"]]
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
    event: Literal["run.ingested", "run.regressed", "run.recovered", "run.costlier", "run.slower", "judge.changed", "suite.changed", "review.completed", "baseline.pinned", "baseline.unpinned", "run.deleted", "webhook.test"]
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
    format: Literal["standard", "slack", "teams", "discord", "email"] | None
    events: list[Literal["run.ingested", "run.regressed", "run.recovered", "run.costlier", "run.slower", "judge.changed", "suite.changed", "review.completed", "baseline.pinned", "baseline.unpinned", "run.deleted"]]
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


class CreateCommentBody(TypedDict):
    text: str
    case_key: NotRequired[str | None]


class FindMissingPartsBody(TypedDict):
    sha256: list[str]


class AttachEvidenceBody(TypedDict):
    manifest: str


class CreateBadgeAnswer(TypedDict):
    url: str


class ChangeSuiteSettingsBodySnooze(TypedDict):
    until: NotRequired[str | None]
    until_new_run: NotRequired[bool]
    why: NotRequired[str | None]


class ChangeSuiteSettingsBodyArchive(TypedDict):
    why: NotRequired[str | None]


class ChangeSuiteSettingsBodyCost(TypedDict):
    rise_percent: int


class ChangeSuiteSettingsBody(TypedDict):
    owner: NotRequired[str | None]
    snooze: NotRequired[ChangeSuiteSettingsBodySnooze | None]
    archive: NotRequired[ChangeSuiteSettingsBodyArchive | None]
    cost: NotRequired[ChangeSuiteSettingsBodyCost | None]
    latency: NotRequired[ChangeSuiteSettingsBodyCost | None]


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


CreateRubricBodyQuestionsItemOptionsItem = TypedDict(
    "CreateRubricBodyQuestionsItemOptionsItem",
    {
        "key": "str",
        "label": "str",
        "pass": "NotRequired[bool]",
    },
)


class CreateRubricBodyQuestionsItem(TypedDict):
    key: str
    kind: Literal["verdict", "score", "category", "categories", "preference", "comment", "span"]
    label: str
    deciding: NotRequired[bool]
    min: NotRequired[float]
    max: NotRequired[float]
    step: NotRequired[float]
    pass_from: NotRequired[float]
    options: NotRequired[list[CreateRubricBodyQuestionsItemOptionsItem]]


class CreateRubricBodyShowItem(TypedDict):
    field: str
    label: str


class CreateRubricBody(TypedDict):
    project: str
    suite: str
    name: str
    text: str
    questions: list[CreateRubricBodyQuestionsItem]
    show: NotRequired[list[CreateRubricBodyShowItem]]
    valid_days: NotRequired[int]


class ChangeRubricBody(TypedDict):
    change: Literal["wording", "meaning"]
    name: str
    text: str
    questions: list[CreateRubricBodyQuestionsItem]
    show: NotRequired[list[CreateRubricBodyShowItem]]
    valid_days: NotRequired[int]


class OpenReviewQueueBodySelection(TypedDict):
    kind: Literal["random"]
    runs: list[str]
    count: int


class OpenReviewQueueBodySelection2(TypedDict):
    kind: Literal["by_verdict"]
    runs: list[str]
    passed: NotRequired[int]
    failed: NotRequired[int]
    half_width: NotRequired[float]


class OpenReviewQueueBodySelection3(TypedDict):
    kind: Literal["near_threshold"]
    runs: list[str]
    count: int


class OpenReviewQueueBodySelection4(TypedDict):
    kind: Literal["suspected"]
    runs: list[str]
    count: int


class OpenReviewQueueBodySelection5(TypedDict):
    kind: Literal["disagreement"]
    runs: list[str]
    count: int
    with_run: NotRequired[str]
    with_metric: NotRequired[str]


class OpenReviewQueueBodySelection6(TypedDict):
    kind: Literal["pairs"]
    runs: list[str]
    count: int


class OpenReviewQueueBodySelection7(TypedDict):
    kind: Literal["list"]
    cases: list[ReviewItemListItemsItemSecond]


class OpenReviewQueueBody(TypedDict):
    project: str
    suite: str
    rubric_id: str
    target: Literal["case", "metric"]
    metric: NotRequired[str | None]
    per_item: NotRequired[int]
    resolve: NotRequired[Literal["adjudicate", "majority"]]
    reviewers: list[str]
    adjudicators: NotRequired[list[str]]
    selection: OpenReviewQueueBodySelection | OpenReviewQueueBodySelection2 | OpenReviewQueueBodySelection3 | OpenReviewQueueBodySelection4 | OpenReviewQueueBodySelection5 | OpenReviewQueueBodySelection6 | OpenReviewQueueBodySelection7
    seed: NotRequired[str]
    dry_run: NotRequired[bool]


class ChangeReviewersBodyAddItem(TypedDict):
    name: str
    role: Literal["reviewer", "adjudicator"]


class ChangeReviewersBody(TypedDict):
    add: NotRequired[list[ChangeReviewersBodyAddItem]]
    remove: NotRequired[list[str]]


class TakeReviewItemsBody(TypedDict):
    queue_id: str
    count: NotRequired[int]


class LabelItemBody(TypedDict):
    label_id: str
    answers: dict[str, Any]
    seconds: float
    recognised: NotRequired[bool]
    revises: NotRequired[str | None]


class AdjudicateItemBody(TypedDict):
    label_id: str
    answers: dict[str, Any]
    seconds: float
    recognised: NotRequired[bool]


class DeclineItemBody(TypedDict):
    reason: Literal["conflict", "not_qualified", "unreadable"]


class WithdrawLabelBody(TypedDict):
    reason: Literal["mistake", "conflict"]


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


class FindInviteBody(TypedDict):
    secret: str


class CreateInvitedAccountBody(TypedDict):
    secret: str
    username: str
    password: str


class ChangePasswordByLinkBody(TypedDict):
    secret: str
    password: str


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
    format: NotRequired[Literal["standard", "slack", "teams", "discord", "email"]]
    events: list[Literal["run.ingested", "run.regressed", "run.recovered", "run.costlier", "run.slower", "judge.changed", "suite.changed", "review.completed", "baseline.pinned", "baseline.unpinned", "run.deleted"]]
    project: NotRequired[str | None]
    suite: NotRequired[str | None]


class CreateApiKeyBody(TypedDict):
    name: NotRequired[str | None]
    scope: NotRequired[Literal["review", "read", "write", "admin"] | None]
    expires_at: NotRequired[str | None]
    project: NotRequired[str | None]
    suite: NotRequired[str | None]


class CreateUserBody(TypedDict):
    username: str
    password: NotRequired[str]
    role: Literal["admin", "member", "viewer", "reviewer"]
    service: NotRequired[bool]


class ChangeUserBody(TypedDict):
    role: NotRequired[Literal["admin", "member", "viewer", "reviewer"] | None]
    disabled: NotRequired[bool | None]
    password: NotRequired[str | None]


class CreateInviteBodyGrantsItem(TypedDict):
    project: str
    suite: NotRequired[str | None]
    level: Literal["view", "upload", "manage"]


class CreateInviteBody(TypedDict):
    role: Literal["admin", "member", "viewer", "reviewer"]
    label: NotRequired[str | None]
    grants: NotRequired[list[CreateInviteBodyGrantsItem]]
    expires_at: NotRequired[str | None]
    return_to: NotRequired[str | None]


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
    "AccountLink",
    "AccountLinks",
    "AgreementCoefficientValue",
    "AgreementCoefficient",
    "AnnotatedRun",
    "ApiKey",
    "ApiKeys",
    "AttachedEvidence",
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
    "CalibratedRateValue",
    "CalibratedRateValue2",
    "CalibratedRate",
    "Case",
    "CaseEvidenceCounts",
    "CaseFieldsFieldsItem",
    "CaseFieldsGroupsItemPasses",
    "CaseFieldsGroupsItem",
    "CaseFields",
    "CaseHistoryPointsItem",
    "CaseHistory",
    "CaseInSuiteCase",
    "CaseInSuite",
    "CaseList",
    "CaseListItemAssertsItem",
    "CaseListItem",
    "CaseListRow",
    "CaseParts",
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
    "Comment",
    "CommentList",
    "CommentSearchCommentsItem",
    "CommentSearch",
    "ComparedCalibrationBase",
    "ComparedCalibrationRubric",
    "ComparedCalibrationGiven",
    "ComparedCalibrationJudgeAlone",
    "ComparedCalibrationCorrected",
    "ComparedCalibrationErrsAlike",
    "ComparedCalibration",
    "ComparedCasesCounts",
    "ComparedCasesLinkedBase",
    "ComparedCasesLinkedFlipsItem",
    "ComparedCasesLinked",
    "ComparedCases",
    "ComparedConfigs",
    "ComparedGroupsFieldsItem",
    "ComparedGroupsGroupsItem",
    "ComparedGroups",
    "ComparisonStatisticsBaseColumn",
    "ComparisonStatisticsBasePassRate",
    "ComparisonStatisticsBaseCost",
    "ComparisonStatisticsBase",
    "ComparisonStatisticsShared",
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
    "DeclaredJudge",
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
    "Estimate",
    "EvenTest",
    "EvidenceCounts",
    "EvidenceItem",
    "EvidenceList",
    "EvidencePartFrom",
    "EvidencePart",
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
    "ImportedLabelsLeftOutItem",
    "ImportedLabels",
    "ImportedSamples",
    "InclusionProof",
    "Ingested",
    "InvitedGrant",
    "Judge",
    "JudgeChange",
    "LeaderboardColumnsItemPassKItem",
    "LeaderboardColumnsItemLatencyMs",
    "LeaderboardColumnsItemAgainstBase",
    "LeaderboardColumnsItem",
    "Leaderboard",
    "LinkedIdentity",
    "MadeAccountLink",
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
    "MissingParts",
    "MyReviewItemRubric",
    "MyReviewItemPartsItem",
    "MyReviewItemLabelsItem",
    "MyReviewItemToDecideItem",
    "MyReviewItem",
    "MyReviewItems",
    "MyReviewQueuesQueuesItem",
    "MyReviewQueues",
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
    "OverviewSuiteNewestRun",
    "OverviewSuitePreviousRun",
    "OverviewSuiteBaseline",
    "OverviewSuite",
    "OwnSession",
    "OwnSessions",
    "OwnUser",
    "PartReceived",
    "PartUpload",
    "PartsReceivedPartsItem",
    "PartsReceived",
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
    "RecordedLabel",
    "RemovedSamples",
    "Retention",
    "ReviewAgreementCohen",
    "ReviewAgreementPeopleItemAgreesWithFinal",
    "ReviewAgreementPeopleItem",
    "ReviewAgreementPreference",
    "ReviewAgreement",
    "ReviewItemListItemsItemSecond",
    "ReviewItemListItemsItemLabelsItem",
    "ReviewItemListItemsItem",
    "ReviewItemList",
    "ReviewQueueSelection",
    "ReviewQueueRunsItem",
    "ReviewQueueProgress",
    "ReviewQueuePeopleItem",
    "ReviewQueue",
    "ReviewQueueList",
    "ReviewQueuePreviewGroupsPassed",
    "ReviewQueuePreviewGroups",
    "ReviewQueuePreview",
    "RubricShowItem",
    "Rubric",
    "RubricDetail",
    "RubricList",
    "RubricOption",
    "RubricQuestion",
    "RunAdded",
    "RunAnnotations",
    "RunCalibrationReasonsItem",
    "RunCalibrationJudgeAlone",
    "RunCalibrationAsIs",
    "RunCalibrationLabels",
    "RunCalibrationPool",
    "RunCalibrationJudge",
    "RunCalibrationPeopleAc1",
    "RunCalibrationPeople",
    "RunCalibrationScore",
    "RunCalibrationCoverage",
    "RunCalibrationDrift",
    "RunCalibrationPlansItemMore",
    "RunCalibrationPlansItem",
    "RunCalibration",
    "RunChangesRunsItemPrevious",
    "RunChangesRunsItem",
    "RunChanges",
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
    "RunDetailPassInterval",
    "RunDetail",
    "RunDocumentCasesItemCell",
    "RunDocumentCasesItem",
    "RunDocumentSummary",
    "RunDocument",
    "RunFacetsProjectsItem",
    "RunFacetsSuitesItem",
    "RunFacetsProvidersItem",
    "RunFacets",
    "RunInSuiteSet",
    "RunInSuite",
    "RunJudge",
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
    "ServerObjectStore",
    "ServerRetention",
    "ServerLog",
    "ServerContentsPartBytes",
    "ServerContents",
    "ServerReadTablesItem",
    "ServerLastStart",
    "ServerLast",
    "Server",
    "SessionsEnded",
    "SharedView",
    "ShownInvite",
    "ShownResetLink",
    "SignedIn",
    "SuiteFlakinessRunsItem",
    "SuiteFlakinessCasesItem",
    "SuiteFlakiness",
    "SuiteGridRunsItemDigests",
    "SuiteGridRunsItemPassInterval",
    "SuiteGridRunsItem",
    "SuiteGridRowsItemLastChange",
    "SuiteGridRowsItem",
    "SuiteGridNewestProvidersItem",
    "SuiteGrid",
    "SuiteJudgesMetricsItemJudgesItem",
    "SuiteJudgesMetricsItem",
    "SuiteJudges",
    "SuiteListSuitesItemSeriesItem",
    "SuiteListSuitesItem",
    "SuiteList",
    "SuiteSet",
    "SuiteSetView",
    "SuiteSettingsOwner",
    "SuiteSettingsSnooze",
    "SuiteSettingsArchive",
    "SuiteSettingsCost",
    "SuiteSettings",
    "SuiteTrendRunsItemMeasuresScore",
    "SuiteTrendRunsItemMeasures",
    "SuiteTrendRunsItem",
    "SuiteTrendChangesItemBefore",
    "SuiteTrendChangesItem",
    "SuiteTrendJudgeChangesItem",
    "SuiteTrendMeasureChangesScoreItem",
    "SuiteTrendMeasureChanges",
    "SuiteTrendBaseline",
    "SuiteTrend",
    "TestOutputsColumnsItemOutput",
    "TestOutputsColumnsItemAssertsItem",
    "TestOutputsColumnsItem",
    "TestOutputs",
    "TranscriptBinsLanesItem",
    "TranscriptBins",
    "TranscriptEvent",
    "TranscriptEvents",
    "TranscriptMatches",
    "TranscriptOutline",
    "TranscriptOutlineItem",
    "TranscriptSpan",
    "TranscriptSummary",
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
    "CreateCommentBody",
    "FindMissingPartsBody",
    "AttachEvidenceBody",
    "CreateBadgeAnswer",
    "ChangeSuiteSettingsBodySnooze",
    "ChangeSuiteSettingsBodyArchive",
    "ChangeSuiteSettingsBodyCost",
    "ChangeSuiteSettingsBody",
    "RegisterPlanBody",
    "RevealPlanBody",
    "CreateRubricBodyQuestionsItemOptionsItem",
    "CreateRubricBodyQuestionsItem",
    "CreateRubricBodyShowItem",
    "CreateRubricBody",
    "ChangeRubricBody",
    "OpenReviewQueueBodySelection",
    "OpenReviewQueueBodySelection2",
    "OpenReviewQueueBodySelection3",
    "OpenReviewQueueBodySelection4",
    "OpenReviewQueueBodySelection5",
    "OpenReviewQueueBodySelection6",
    "OpenReviewQueueBodySelection7",
    "OpenReviewQueueBody",
    "ChangeReviewersBodyAddItem",
    "ChangeReviewersBody",
    "TakeReviewItemsBody",
    "LabelItemBody",
    "AdjudicateItemBody",
    "DeclineItemBody",
    "WithdrawLabelBody",
    "GrantProjectAccessBody",
    "PinBaselineBody",
    "PinBaselineAnswer",
    "CreateFirstAccountBody",
    "SignInBody",
    "ChangePasswordBody",
    "FindInviteBody",
    "CreateInvitedAccountBody",
    "ChangePasswordByLinkBody",
    "CreateViewBody",
    "ChangeViewBody",
    "CreateWebhookBody",
    "CreateApiKeyBody",
    "CreateUserBody",
    "ChangeUserBody",
    "CreateInviteBodyGrantsItem",
    "CreateInviteBody",
    "EraseRecordsBody",
    "PlaceHoldBody",
    "LiftHoldBody",
]

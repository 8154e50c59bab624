// Written by `npm run clients` from clients/openapi.json. Do not edit.

export interface paths {
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the process answers, at an address outside of the API */
        get: operations["getRootHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the process answers */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the service can answer requests for stored data */
        get: operations["getReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/meta": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Version, limits and features of the service */
        get: operations["getMeta"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This document */
        get: operations["getOpenApiDocument"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/schemas/run-document": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The format of run documents as JSON Schema */
        get: operations["getRunDocumentSchema"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List runs, newest first unless another order is given */
        get: operations["listRuns"];
        put?: never;
        /** Upload a run document */
        post: operations["uploadRun"];
        /** Delete a run, whatever its id */
        delete: operations["deleteRunById"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/run-facets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Projects, suites and providers by which the list of runs can be filtered, with their number of runs */
        get: operations["listRunFacets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/run-changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What got worse and better in each of several runs since its previous like run */
        get: operations["listRunChanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The filtered list of runs as CSV (RFC 4180) */
        get: operations["exportRunsCsv"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A run with its summary, without its cases */
        get: operations["getRun"];
        put?: never;
        post?: never;
        /** Delete a run */
        delete: operations["deleteRun"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/in-suite": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A run, the baseline of its suite, what the viewer may do there, and the previous run that is like it */
        get: operations["getRunInSuite"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/previous": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The previous run of the suite with the same providers and most of the cases, and what changed between the two */
        get: operations["getPreviousRun"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The uploaded document, byte for byte */
        get: operations["exportRun"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/config": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The configuration of a run */
        get: operations["getRunConfig"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/matrix": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Tests as rows, and columns of provider and prompt, with one cell for each case */
        get: operations["getMatrix"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/compare/{other}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Two runs: what got worse, what got better, and the difference of the totals */
        get: operations["compareRuns"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Import a file with results of another tool */
        post: operations["importFile"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/export/{format}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A run in a format of other tools
         * @description Cases are in the order of the document. `export` without a format returns the uploaded document itself, byte for byte.
         */
        get: operations["exportRunAs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/share.html": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A run, and its comparison with another or of two of its columns, as one HTML file that needs no server
         * @description Everyone who has the file can read all that is in it. It is what `ers share-html` writes.
         */
        get: operations["exportRunAsPage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/samples": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Import sample runs, public results whose times are moved to now */
        post: operations["importSamples"];
        /** Delete the sample runs, whatever else is in their project */
        delete: operations["removeSamples"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/annotations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What was added to a run after its upload, the newest change first */
        get: operations["listRunAnnotations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Change the title, the note and the tags that a run has in addition to its document */
        patch: operations["changeRunAnnotations"];
        trace?: never;
    };
    "/api/v1/runs/{id}/comments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Comments on a run and its cases, the newest first */
        get: operations["listComments"];
        put?: never;
        /** Comment on a run, or on one of its cases */
        post: operations["createComment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/comments/{comment_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Delete a comment: its author or an admin */
        delete: operations["deleteComment"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/statistics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Statistics of a run, or of a column of it: intervals, trials, pass@k */
        get: operations["getRunStatistics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/calibration": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How good the judge of a run is against people, and the pass rate that people would give the run */
        get: operations["getCalibration"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/leaderboard": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The columns of a run, the best first, each compared with one of them */
        get: operations["getLeaderboard"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/compare/{other}/statistics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether one run, or column of a run, is better than another, and which difference the comparison could have detected */
        get: operations["getComparisonStatistics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/compare/{other}/calibration": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The difference of two runs by their judge, and the one that people would find */
        get: operations["compareCalibration"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/suites/{suite}/trend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The pass rates, scores, costs, latencies and tokens of a suite, and where they changed */
        get: operations["getSuiteTrend"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/compare/{other}/cases": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The cases of two runs, or of columns of runs, in pairs, by what happened to them */
        get: operations["listComparedCases"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/compare/{other}/groups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The cases that two runs, or columns of runs, share, by tag or by a variable: where most were lost */
        get: operations["listComparedGroups"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/compare/{other}/config": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The configurations of two runs */
        get: operations["compareConfigs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/compare/{other}/nearest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The run of the suite, other than the base, with which the head can be compared best */
        get: operations["findNearestRun"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/matrix/rows": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The sorted rows of a matrix, with one value in each cell */
        get: operations["listMatrixRows"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/compare": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Several runs against one base, and their cases row by row */
        get: operations["compareManyRuns"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/compare/outputs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The outputs of one test in several runs, side by side */
        get: operations["compareOutputs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/tests/{test_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The outputs of one test in all columns of a run, side by side */
        get: operations["getTestOutputs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/cases": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The cases of a run */
        get: operations["listCases"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/distribution/cases": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The cases in one part of the distribution */
        get: operations["listDistributionCases"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/case-rows": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The cases from a position of the list on, each with one line about its call and its failure */
        get: operations["listCaseRows"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/case-fields": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The fields by which the cases of a run can be shown and grouped, and the groups of one of them */
        get: operations["getCaseFields"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/cases.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The filtered cases of a run as CSV (RFC 4180) */
        get: operations["exportCasesCsv"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/cases/{case_key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A case with its prompt, output and assertions */
        get: operations["getCase"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/cases/{case_key}/in-suite": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A case, the cases of its test in the run, its history, and the newest runs of its suite */
        get: operations["getCaseInSuite"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/distribution": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The distribution of the cases of a run */
        get: operations["getDistribution"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/suites/{suite}/cases/{case_key}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A case in the newest runs of its suite */
        get: operations["getCaseHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/parts/{sha256}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Send a part of evidence, whole or a piece of it (Content-Range), before the run that names it */
        put: operations["putPart"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/parts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send many small parts of evidence as a form, each file named by its digest: all are stored, or none */
        post: operations["putParts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/parts/{sha256}/upload": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What the caller has sent of a part that no run names */
        get: operations["getPartUpload"];
        put?: never;
        post?: never;
        /** Drop what the caller has sent of a part that no run names */
        delete: operations["deletePartUpload"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/parts/missing": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Which parts the caller would have to send before a run names them */
        post: operations["findMissingParts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/evidence": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The manifests of the evidence of a run, the oldest first, and its source files */
        get: operations["listEvidence"];
        put?: never;
        /** Add evidence to a run: its parts and the manifest were sent before */
        post: operations["attachEvidence"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/evidence/{n}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A manifest of the evidence of a run, byte for byte */
        get: operations["getEvidenceManifest"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/parts/{sha256}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A part of the evidence of a run, byte for byte */
        get: operations["getRunPart"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/cases/{case_key}/parts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The parts of a case: its transcript, inputs, outputs and what graded it */
        get: operations["listCaseParts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/transcripts/{sha256}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What a transcript has: its totals, its spans, and its events over time */
        get: operations["getTranscript"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/transcripts/{sha256}/outline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The events of a transcript in a line each */
        get: operations["listTranscriptOutline"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/transcripts/{sha256}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Events of a transcript: as many as fit into 1 MiB, the texts of long ones shortened */
        get: operations["listTranscriptEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/transcripts/{sha256}/events/{n}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** An event of a transcript, whole: its line, byte for byte */
        get: operations["getTranscriptEvent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/transcripts/{sha256}/find": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The events of a transcript that have a text, looked for in some hundred megabytes at a time */
        get: operations["findInTranscript"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Runs and cases that contain all words, or have an id */
        get: operations["search"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/search/cases": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Cases that contain all words, one entry for each test */
        get: operations["searchCases"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/search/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Runs that contain all words, with pages */
        get: operations["searchRuns"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/search/comments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Comments on runs and cases that contain all words, the newest first */
        get: operations["searchComments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Projects with their number of runs */
        get: operations["listProjects"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/suites": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Suites of a project with their number of runs */
        get: operations["listSuites"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Projects with their suites and newest runs */
        get: operations["listSets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sets/{project}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A project and its suites */
        get: operations["getProject"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sets/{project}/suites/{suite}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A suite, its baseline and its runs */
        get: operations["getSuite"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/suites/{suite}/grid": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The status of each case of a suite in its newest runs */
        get: operations["getSuiteGrid"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/suites/{suite}/flakiness": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The cases of a suite that change between passing and failing */
        get: operations["getSuiteFlakiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/suites/{suite}/cases/{case_key}/timeline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A case in the runs of its suite, with what changed from run to run */
        get: operations["getCaseTimeline"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/suites/{suite}/badge.svg": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The newest result of a suite as an image (SVG) */
        get: operations["getBadge"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/suites/{suite}/badge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Create an address of the image that needs no credential until it is revoked */
        post: operations["createBadge"];
        /** Revoke all keys of the image of a suite */
        delete: operations["revokeBadges"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/suites/{suite}/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The owner, the snooze, the archive and the thresholds of a suite, with who set them, when and why */
        get: operations["getSuiteSettings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Set or end the owner, the snooze, the archive and the thresholds of a suite */
        patch: operations["changeSuiteSettings"];
        trace?: never;
    };
    "/api/v1/projects/{project}/suites/{suite}/judges": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The judges of each metric of a suite, with the runs in which they judged, the newest first */
        get: operations["listJudges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/suites/{suite}/judges/declare": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Say that the programs and embeddings of a metric are a judge, or no judge any more */
        post: operations["changeDeclaredJudge"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What needs attention: every suite, worst first */
        get: operations["getOverview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/plans": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Plans, the newest first */
        get: operations["listPlans"];
        put?: never;
        /** Register a plan for future runs of a suite */
        post: operations["registerPlan"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/plans/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A plan, and the runs that follow it */
        get: operations["getPlan"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/plans/{id}/reveal": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Reveal the text of a plan that was registered by its digest */
        post: operations["revealPlan"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/plans/{id}/withdraw": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Withdraw a plan: later runs do not follow it */
        post: operations["withdrawPlan"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/rubrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The newest version of each rubric, the newest rubric first */
        get: operations["listRubrics"];
        put?: never;
        /** Write a rubric: what people decide by when they label cases of a suite */
        post: operations["createRubric"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/rubrics/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A version of a rubric */
        get: operations["getRubric"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/rubrics/{id}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Add a version of a rubric; the earlier ones stay as they are */
        post: operations["changeRubric"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/rubrics/{id}/retire": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Retire a rubric: no new queue uses it */
        post: operations["retireRubric"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/review-queues": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Review queues, the newest first */
        get: operations["listReviewQueues"];
        put?: never;
        /** Open a queue: a sample of cases that people label */
        post: operations["openReviewQueue"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/review-queues/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Record labels that people gave in another tool, as a closed queue */
        post: operations["importLabels"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/review-queues/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A review queue: its sample, its people and how far it came */
        get: operations["getReviewQueue"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/review-queues/{id}/items": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The cases of a review queue; with their labels once it is closed */
        get: operations["listReviewItems"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/review-queues/{id}/people": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Add people to an open review queue, and remove others; their labels stay */
        post: operations["changeReviewers"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/review-queues/{id}/close": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Close a review queue: then its labels are shown, and no more are given */
        post: operations["closeReviewQueue"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/review-queues/{id}/agreement": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How far the people of a closed review queue agree */
        get: operations["getReviewAgreement"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/review-queues/{id}/export/{format}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The labels of a closed review queue, a row a label; replaced and withdrawn ones too */
        get: operations["exportLabels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/review/queues": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The review queues in which you are listed, the newest first */
        get: operations["listMyReviewQueues"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/review/next": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** The next items to label, kept for you for 15 minutes; none if nothing is left for you */
        post: operations["takeReviewItems"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/review/items/{item}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** An item of a queue in which you are listed, with your own labels */
        get: operations["getReviewItem"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/review/items/{item}/labels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Label an item */
        post: operations["labelItem"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/review/items/{item}/adjudicate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Decide an item whose labels differ */
        post: operations["adjudicateItem"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/review/items/{item}/decline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Decline an item: it goes to another person, and never back */
        post: operations["declineItem"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/review/labels/{id}/withdraw": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Withdraw an own label while its queue is open: it stops counting, and stays in exports */
        post: operations["withdrawLabel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sets/{project}/access": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The restriction of a project, and who was granted what */
        get: operations["getProjectAccess"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sets/{project}/accounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Accounts whose names begin with a text, to grant them a level */
        get: operations["findProjectAccounts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sets/{project}/restriction": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Restrict a project: only granted accounts and admins see it */
        put: operations["restrictProject"];
        post?: never;
        /** Lift the restriction of a project */
        delete: operations["liftProjectRestriction"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sets/{project}/grants/{user_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Grant an account a level on a project */
        put: operations["grantProjectAccess"];
        post?: never;
        /** Revoke what an account was granted on a project */
        delete: operations["revokeProjectAccess"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sets/{project}/suites/{suite}/access": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The restriction of a suite, and who was granted what */
        get: operations["getSuiteAccess"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sets/{project}/suites/{suite}/accounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Accounts whose names begin with a text, to grant them a level */
        get: operations["findSuiteAccounts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sets/{project}/suites/{suite}/restriction": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Restrict a suite: only granted accounts and admins see it */
        put: operations["restrictSuite"];
        post?: never;
        /** Lift the restriction of a suite */
        delete: operations["liftSuiteRestriction"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sets/{project}/suites/{suite}/grants/{user_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Grant an account a level on a suite */
        put: operations["grantSuiteAccess"];
        post?: never;
        /** Revoke what an account was granted on a suite */
        delete: operations["revokeSuiteAccess"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/access": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** All restrictions and grants, also of suites without runs */
        get: operations["listAccess"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/restrictions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Lift a restriction; works for any names */
        delete: operations["liftRestrictionByName"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/grants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Revoke a grant; works for any names */
        delete: operations["revokeGrantByName"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The audit trail, newest first */
        get: operations["listAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/audit/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The audit trail as JSON lines, newest first */
        get: operations["exportAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/audit/{seq}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A record of the audit trail */
        get: operations["getAuditRecord"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/log/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The keys that verify checkpoints of this service, one on each line */
        get: operations["getLogKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/log/checkpoint": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The newest checkpoint, or the newest one that enough witnesses have cosigned */
        get: operations["getCheckpoint"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/log/checkpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Checkpoints that were signed, the largest first */
        get: operations["listCheckpoints"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/log/checkpoints/{size}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The checkpoint of a size */
        get: operations["getCheckpointOfSize"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/log/tile/entries/{rest}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The entries of up to 256 records, each preceded by its length in two bytes */
        get: operations["getEntryTile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/log/tile/{level}/{rest}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Up to 256 hashes of the tree at a level */
        get: operations["getHashTile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/log/proof/{index}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A proof that the record of an index, counted from 0, is in the log */
        get: operations["getInclusionProof"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/log/consistency": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A proof that the records of a smaller log begin a larger one */
        get: operations["getConsistencyProof"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{id}/receipt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The receipt of an upload: proves that the document was recorded, and when */
        get: operations["getRunReceipt"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/plans/{id}/receipt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The receipt of a plan: proves that it was registered before any record with a higher index */
        get: operations["getPlanReceipt"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/review/labels/{id}/receipt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The receipt of an own label, once its queue is closed: it names the document that the case is in */
        get: operations["getLabelReceipt"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/log/records/{seq}/receipt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The receipt of any record */
        get: operations["getRecordReceipt"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{project}/suites/{suite}/baseline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Pin the run with which later runs of a suite are compared */
        put: operations["pinBaseline"];
        post?: never;
        /** Unpin the baseline of a suite */
        delete: operations["unpinBaseline"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/baselines": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Unpin a baseline; works for any names */
        delete: operations["unpinBaselineByName"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/cache/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The stored body of a provider response, byte for byte */
        get: operations["getCacheBody"];
        /** Store a body; a key keeps its first body */
        put: operations["putCacheBody"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/cache/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Entries, bytes and lookups of the cache */
        get: operations["getCacheStats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/cache/prune": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What a prune with these rules would evict now, without evicting it */
        get: operations["previewCachePrune"];
        put?: never;
        /** Evict what all rules match; without any, what is beyond the configured limits */
        post: operations["pruneCache"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/cache/entries/{key}/eviction": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What the deletion of this entry would remove */
        get: operations["previewCacheEviction"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/cache/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What the cache holds, and how many responses the visible runs reused on each of the last days */
        get: operations["getCacheOverview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/cache/entries/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** An entry of the cache, with its request and response */
        get: operations["getCacheEntry"];
        put?: never;
        post?: never;
        /** Evict an entry of the cache */
        delete: operations["deleteCacheEntry"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/cache/entries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Entries of the cache */
        get: operations["listCacheEntries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/cache/entries/{key}/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Runs with cases that used an entry of the cache */
        get: operations["listRunsOfCacheEntry"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/cache/facets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Values by which entries of the cache can be filtered */
        get: operations["listCacheFacets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/setup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Create the first account, an admin */
        post: operations["createFirstAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sign in with a password */
        post: operations["signIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Change your own password and end your other sessions; needs a session */
        post: operations["changePassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/invite": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** What an invite gives, by the secret of its link */
        post: operations["findInvite"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/invite/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Make the account of an invite, and sign in with it */
        post: operations["createInvitedAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Whose password a link resets, by its secret */
        post: operations["findResetLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/reset/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Set a password with a link, and end all sessions of the account */
        post: operations["changePasswordByLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/oidc/{provider}/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Start a sign-in through an identity provider; a browser opens it */
        get: operations["startOidcSignIn"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/oidc/{provider}/callback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Where an OpenID provider sends the browser back to, with a code or an error */
        get: operations["finishOidcSignIn"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/saml/{provider}/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Start a sign-in through an identity provider; a browser opens it */
        get: operations["startSamlSignIn"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/saml/{provider}/acs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Where the page of a SAML provider posts its response, as a form */
        post: operations["finishSamlSignIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/saml/{provider}/metadata": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The SAML metadata of this service for an identity provider, in XML */
        get: operations["getSamlMetadata"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** End the session of this request */
        post: operations["signOut"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The account and the scope of this request */
        get: operations["getMe"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Your open sessions */
        get: operations["listOwnSessions"];
        put?: never;
        post?: never;
        /** End all your other sessions; needs a session */
        delete: operations["endOtherSessions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** End one of your sessions; needs a session */
        delete: operations["endSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/views": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Your saved views, and those that others shared and whose sets you may see */
        get: operations["listViews"];
        put?: never;
        /** Save a view */
        post: operations["createView"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/views/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Delete a saved view; an admin removes a shared one from the list of all */
        delete: operations["deleteView"];
        options?: never;
        head?: never;
        /** Change a saved view; `position` moves it in the list */
        patch: operations["changeView"];
        trace?: never;
    };
    "/api/v1/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Your webhooks */
        get: operations["listWebhooks"];
        put?: never;
        /** Create a webhook; the answer has its secret, which is shown once */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Delete a webhook */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{id}/secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Replace the secret; for a day, the former one signs too */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send a message of type webhook.test, once */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What a webhook sent, and what is waiting, newest first */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/apikeys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Your API keys */
        get: operations["listApiKeys"];
        put?: never;
        /** Create an API key; the secret is in this response only */
        post: operations["createApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/apikeys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Revoke an API key */
        delete: operations["revokeApiKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** All accounts */
        get: operations["listUsers"];
        put?: never;
        /** Create an account */
        post: operations["createUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Every account with its numbers of keys, sessions and grants, and when it was last seen */
        get: operations["listUserOverviews"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{id}/apikeys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** An account's API keys */
        get: operations["listApiKeysOfUser"];
        put?: never;
        /** Create an API key of a service account; the secret is in this response only */
        post: operations["createServiceKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Delete an account */
        delete: operations["deleteUser"];
        options?: never;
        head?: never;
        /** Change the role, the password or the state of an account */
        patch: operations["changeUser"];
        trace?: never;
    };
    "/api/v1/users/{id}/reset-link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Make a link with which the owner of an account can set a password; it is in this response only */
        post: operations["createResetLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Invites and password reset links that were neither used nor revoked, without their secrets */
        get: operations["listAccountLinks"];
        put?: never;
        /** Make a link with which one person can make an account; it is in this response only */
        post: operations["createInvite"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/links/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** End an invite or a password reset link that was not used */
        delete: operations["revokeAccountLink"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/retention": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Delete what exceeds the configured limits now, even if the clock is in doubt, or count it (dry_run) */
        post: operations["applyRetention"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/server": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This process, its store and its limits */
        get: operations["getServer"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/apikeys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The API keys of all accounts */
        get: operations["listAllApiKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/erasures": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Erase the records of a run, of a deleted account, or with given numbers; what proofs need is kept */
        post: operations["eraseRecords"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/holds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Legal holds */
        get: operations["listHolds"];
        put?: never;
        /** Place a legal hold on a run, or on all present and future runs of a suite or a project */
        post: operations["placeHold"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/holds/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A legal hold, and what it holds */
        get: operations["getHold"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/holds/{id}/lift": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Lift a legal hold; other holds on the same runs still stand */
        post: operations["liftHold"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/events/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Changes as server-sent events: changed, access, reset */
        get: operations["streamEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        AccessList: {
            restricted: boolean;
            grants: components["schemas"]["Grant"][];
        };
        AccessOverview: {
            sets: components["schemas"]["AccessSet"][];
            next_cursor: string | null;
            totals: {
                suites: number;
                restricted: number;
            } | null;
            admins_only: {
                project: string;
                suite: string | null;
            }[] | null;
        };
        AccessSet: {
            project: string;
            suite: string | null;
            restricted: boolean;
            covered: boolean;
            restricted_at: number | null;
            restricted_by: string | null;
            run_count: number;
            case_count: number;
            grants: components["schemas"]["Grant"][];
        };
        AccountKey: {
            id: string;
            name: string | null;
            prefix: string;
            /** @enum {string} */
            scope: "review" | "read" | "write" | "admin";
            expires_at: string | null;
            project: string | null;
            suite: string | null;
            created_at: string;
            last_used_at: string | null;
            revoked: boolean;
            user_id: string;
            username: string;
            /** @enum {string} */
            role: "admin" | "member" | "viewer" | "reviewer";
            /** @enum {string} */
            state: "usable" | "disabled" | "expired" | "revoked";
            /** @enum {string} */
            effective_scope: "review" | "read" | "write" | "admin";
        };
        AccountKeys: {
            keys: components["schemas"]["AccountKey"][];
            next_cursor: string | null;
            totals: {
                matching: number;
                usable: number;
                disabled: number;
                expired: number;
                revoked: number;
            } | null;
        };
        AccountLink: {
            id: string;
            /** @enum {string} */
            kind: "invite" | "reset";
            label: string | null;
            user_id: string | null;
            username: string | null;
            role: ("admin" | "member" | "viewer" | "reviewer") | null;
            grants: components["schemas"]["InvitedGrant"][];
            created_at: string;
            created_by: string | null;
            expires_at: string;
            /** @enum {string} */
            state: "open" | "expired" | "void";
        };
        AccountLinks: {
            links: components["schemas"]["AccountLink"][];
        };
        AgreementCoefficient: {
            value: {
                estimate: number;
                se: number;
                lower: number;
                upper: number;
                observed: number;
                expected: number;
                units: number;
            } | null;
            reason: ("fewer_than_two_items" | "one_category" | "not_for_sets" | "not_two_people" | "not_three_people") | null;
        };
        AnnotatedRun: {
            added: components["schemas"]["RunAdded"] | null;
        };
        ApiKey: {
            id: string;
            name: string | null;
            prefix: string;
            /** @enum {string} */
            scope: "review" | "read" | "write" | "admin";
            expires_at: string | null;
            project: string | null;
            suite: string | null;
            created_at: string;
            last_used_at: string | null;
            revoked: boolean;
        };
        ApiKeys: {
            keys: components["schemas"]["ApiKey"][];
        };
        AttachedEvidence: {
            n: number;
        };
        AuditActor: {
            /** @enum {string} */
            kind: "anonymous" | "static" | "session" | "apikey" | "cli" | "system";
            scope: ("review" | "read" | "write" | "admin") | null;
            user_id: string | null;
            credential_id: string | null;
            address: string | null;
            label: string | null;
        };
        AuditEvent: {
            seq: number;
            recorded_at: string;
            type: string;
            stream: string | null;
            version: number | null;
            actor: components["schemas"]["AuditActor"] | null;
            request_id: string | null;
            data: {
                [key: string]: unknown;
            } | null;
        };
        AuditList: {
            events: components["schemas"]["AuditEvent"][];
            next_cursor: string | null;
        };
        AuditRecord: {
            seq: number;
            recorded_at: string;
            type: string;
            stream: string | null;
            version: number | null;
            actor: components["schemas"]["AuditActor"] | null;
            request_id: string | null;
            data: {
                [key: string]: unknown;
            } | null;
            commitment: string;
            leaf: string;
            salt: string | null;
            body: string | null;
        };
        CacheEntry: {
            key: string;
            size: number;
            created_at: string;
            last_access_at: string | null;
            entry_created_at: string | null;
            indexed: boolean;
            parseable: boolean | null;
            kind: string | null;
            model: string | null;
            cost_usd: number | null;
            input_tokens: number | null;
            output_tokens: number | null;
            empty_reason: string | null;
            attempts: number | null;
            provider_latency_ms: number | null;
            stop_reason: string | null;
            service_version: string | null;
            request: unknown;
            provider_fingerprint: unknown;
            output: unknown;
            reasoning: string | null;
            tool_calls: unknown[];
            raw: unknown;
        };
        CacheEviction: {
            entries: number;
            bytes: number;
            read_last_7_days: number;
            oldest_at: string | null;
            newest_at: string | null;
            cost_usd: number | null;
            with_cost: number;
            groups: {
                kind: string | null;
                model: string | null;
                entries: number;
                bytes: number;
                read_last_7_days: number;
                oldest_at: string | null;
                newest_at: string | null;
                cost_usd: number | null;
                with_cost: number;
            }[];
            other: {
                entries: number;
                bytes: number;
                read_last_7_days: number;
                oldest_at: string | null;
                newest_at: string | null;
                cost_usd: number | null;
                with_cost: number;
            };
            total: {
                entries: number;
                bytes: number;
            };
        };
        CacheFacets: {
            kinds: {
                value: string;
                count: number;
            }[];
            models: {
                value: string;
                count: number;
            }[];
            empty_reasons: {
                value: string;
                count: number;
            }[];
            total: number;
            unindexed: number;
            unparseable: number;
        };
        CacheItem: {
            key: string;
            size: number;
            created_at: string;
            last_access_at: string | null;
            entry_created_at: string | null;
            indexed: boolean;
            parseable: boolean | null;
            kind: string | null;
            model: string | null;
            cost_usd: number | null;
            input_tokens: number | null;
            output_tokens: number | null;
            request_summary: string | null;
            output_preview: string | null;
            empty_reason: string | null;
        };
        CacheList: {
            entries: components["schemas"]["CacheItem"][];
            next_cursor: string | null;
            truncated: boolean;
        };
        CacheOverview: {
            runs: number;
            runs_counted: number;
            cache_hits: number;
            cache_misses: number;
            runs_with_savings: number;
            savings_usd: number | null;
            since: string;
            until: string;
            days: {
                runs: number;
                runs_counted: number;
                cache_hits: number;
                cache_misses: number;
                runs_with_savings: number;
                savings_usd: number | null;
                day: string;
            }[];
            cache: components["schemas"]["CacheStats"];
            limits: {
                max_age_days: number;
                max_bytes: number;
            };
            local: boolean;
        };
        CachePruned: {
            pruned: number;
        };
        CacheRuns: {
            cases: {
                run_id: string;
                project: string | null;
                suite: string | null;
                created_at: string;
                case_key: string;
                name: string | null;
                status: string;
                cached: boolean;
            }[];
            next_cursor: string | null;
        };
        CacheStats: {
            entries: number;
            total_bytes: number;
            hits: number;
            misses: number;
            unindexed: number;
            oldest_entry_at: string | null;
        };
        CalibratedRate: {
            estimate: number;
            lower: number;
            upper: number;
            reason: null;
            /** @description Groups of cases that depend on each other; null if none do */
            groups: number | null;
            design_effect: number | null;
            /** @description Share of the draws that were cut to the range from 0 to 1 */
            clipped: number;
        } | {
            /** @enum {string} */
            reason: "judge_unknown" | "no_labels" | "few_cases" | "few_labels" | "uninformative_judge" | "outside_calibration";
        };
        Case: {
            case_key: string;
            evidence?: components["schemas"]["CaseEvidenceCounts"];
        } & {
            [key: string]: unknown;
        };
        CaseEvidenceCounts: {
            parts: number;
            bytes: number;
            transcripts: number;
        };
        CaseFields: {
            run_id: string;
            fields: {
                field: string;
                cases: number;
                values: number;
            }[];
            groups: {
                value: string | null;
                cases: number;
                tests: number;
                passes: {
                    mean: number;
                    lower: number | null;
                    upper: number | null;
                } | null;
            }[] | null;
            group_count: number;
        };
        CaseHistory: {
            project: string;
            suite: string;
            case_key: string;
            baseline_run_id: string | null;
            points: {
                run_id: string;
                created_at: string;
                status: string;
                score: number | null;
                output_hash: string | null;
                output_changed: boolean | null;
                cached: boolean | null;
                prompt_tokens: number | null;
                completion_tokens: number | null;
                cost_usd: number | null;
                latency_ms: number | null;
                git_commit: string | null;
                config_digest: string | null;
            }[];
        };
        CaseInSuite: {
            case: {
                case_key: string;
            } & {
                [key: string]: unknown;
            };
            test: components["schemas"]["CaseList"];
            history: components["schemas"]["CaseHistory"] | null;
            runs: components["schemas"]["RunList"] | null;
            comments: number;
        };
        CaseList: {
            cases: components["schemas"]["CaseListItem"][];
            next_cursor: string | null;
        };
        CaseListItem: {
            case_key: string;
            idx: number;
            name: string | null;
            /** @enum {string} */
            status: "pass" | "fail" | "error" | "skip" | "xfail" | "xpass";
            output_preview: string | null;
            asserts: {
                label: string;
                kind: string;
                passed: boolean;
                score: number;
            }[];
            prompt_tokens: number | null;
            completion_tokens: number | null;
            cost_usd: number | null;
            latency_ms: number | null;
            provider_id: string | null;
            prompt_id: string | null;
            test_id: string | null;
            repeat: number | null;
            score: number | null;
            stop_reason: string | null;
            cached: boolean | null;
            error: string | null;
            error_class: string | null;
            empty_reason?: string;
            answered_by_provider_id?: string;
        };
        CaseListRow: {
            case_key: string;
            idx: number;
            name: string | null;
            /** @enum {string} */
            status: "pass" | "fail" | "error" | "skip" | "xfail" | "xpass";
            output_preview: string | null;
            asserts: {
                label: string;
                kind: string;
                passed: boolean;
                score: number;
            }[];
            prompt_tokens: number | null;
            completion_tokens: number | null;
            cost_usd: number | null;
            latency_ms: number | null;
            provider_id: string | null;
            prompt_id: string | null;
            test_id: string | null;
            repeat: number | null;
            score: number | null;
            stop_reason: string | null;
            cached: boolean | null;
            error: string | null;
            error_class: string | null;
            empty_reason?: string;
            answered_by_provider_id?: string;
            call: string | null;
            reason: string | null;
            fields?: {
                [key: string]: string;
            };
        };
        CaseParts: {
            parts: components["schemas"]["EvidencePart"][];
        };
        CaseRows: {
            total: number;
            offset: number;
            place: number | null;
            rows: components["schemas"]["CaseListRow"][];
        };
        CaseSearch: {
            tests: {
                project: string | null;
                suite: string | null;
                test_id: string | null;
                name: string | null;
                field: ("name" | "output" | "reason" | "error" | "tags" | "prompt" | "id") | null;
                snippet: string;
                counts: {
                    [key: string]: number;
                };
                cases: {
                    run_id: string;
                    run_note: string | null;
                    case_key: string;
                    /** @enum {string} */
                    status: "pass" | "fail" | "error" | "skip" | "xfail" | "xpass";
                    score: number | null;
                    provider_id: string | null;
                    prompt_id: string | null;
                    repeat: number | null;
                    created_at: string;
                }[];
            }[];
            case_count: number;
            test_count: number;
            more: boolean;
            complete: boolean;
            facets: {
                suites: {
                    project: string | null;
                    suite: string | null;
                    count: number;
                }[];
                statuses: {
                    /** @enum {string} */
                    status: "pass" | "fail" | "error" | "skip" | "xfail" | "xpass";
                    count: number;
                }[];
            };
            words: {
                word: string;
                case_count: number;
                more: boolean;
            }[] | null;
            next_cursor: string | null;
        };
        CaseTimeline: {
            project: string;
            suite: string;
            case_key: string;
            name: string | null;
            test_id: string | null;
            provider_id: string | null;
            prompt_id: string | null;
            repeat: number | null;
            baseline_run_id: string | null;
            counted: {
                runs: number;
                verdicts: number;
                passed: number;
                flips: number;
            };
            runs: {
                run_id: string;
                created_at: string;
                note: string | null;
                /** @enum {string} */
                status: "pass" | "fail" | "error" | "skip" | "xfail" | "xpass";
                score: number | null;
                latency_ms: number | null;
                cost_usd: number | null;
                prompt_tokens: number | null;
                completion_tokens: number | null;
                cached: boolean | null;
                model: string | null;
                stop_reason: string | null;
                error: string | null;
                failed_asserts: {
                    label: string;
                    kind: string;
                    score: number;
                }[];
                output_hash: string | null;
                output_changed: boolean | null;
                prompt_digest: string | null;
                prompt_changed: boolean | null;
                provider_digest: string | null;
                provider_changed: boolean | null;
                assert_digest: string | null;
                asserts_changed: boolean | null;
                model_changed: boolean | null;
                config_digest: string | null;
                config_changed: boolean | null;
                git_branch: string | null;
                git_commit: string | null;
            }[];
            next_cursor: string | null;
        };
        CheckpointList: {
            checkpoints: {
                size: number;
                root: string;
                signed_at: string;
                note: string;
                cosigned_by: {
                    name: string;
                    at: string;
                }[];
            }[];
            next_cursor: string | null;
        };
        Clash: {
            error: string;
            id?: string;
        };
        Comment: {
            id: string;
            case_key: string | null;
            case_name: string | null;
            text: string;
            at: string;
            by: string | null;
            may_delete: boolean;
        };
        CommentList: {
            comments: components["schemas"]["Comment"][];
            total: number;
            next_cursor: string | null;
        };
        CommentSearch: {
            comments: {
                id: string;
                run_id: string;
                run_note: string | null;
                project: string | null;
                suite: string | null;
                case_key: string | null;
                case_name: string | null;
                snippet: string;
                at: string;
                by: string | null;
            }[];
            next_cursor: string | null;
        };
        ComparedCalibration: {
            base: {
                run_id: string;
                judge_id: string | null;
            };
            head: {
                run_id: string;
                judge_id: string | null;
            };
            /**
             * @description `case`: whole cases. `metric`: one judged metric of each case
             * @enum {string}
             */
            target: "case" | "metric";
            metric: string | null;
            /** @description The size of the log up to which it was read; null for all of it */
            as_of: number | null;
            cluster_by: string;
            /** @description The rubric that the labels follow, with the versions that mean the same */
            rubric: {
                id: string;
                first: number;
                last: number;
                valid_days: number;
                changed_in: number | null;
            } | null;
            queues: string[];
            /** @description Which labels were used: the SHA-256 of a line for each, `QUEUE.N PASS SCORE` and a line feed, in ascending order */
            labels_sha256: string | null;
            /** @description The labels that people gave in these queues */
            given: {
                labels: number;
                people: number;
                /** @description By accounts that cannot read what the judge said */
                enforced: number;
                /** @description By accounts that could have looked it up */
                trusted: number;
                /** @description Imported */
                unknown: number;
                /** @description By people who recognised the model */
                recognised: number;
                /** @description By people who uploaded the run */
                own_run: number;
            };
            /** @description Cases with a verdict in both runs */
            pairs: number;
            judge_alone: {
                /** @enum {string} */
                verdict: "better" | "worse" | "no_clear_change" | "too_few";
                p_value: number | null;
                mid_p: number | null;
                difference: components["schemas"]["Estimate"] | null;
            };
            /** @description `labels_in_both`: tests labelled in both runs, whatever the judge does. `same_judge`: assumes that the judge errs alike in both */
            method: ("labels_in_both" | "same_judge") | null;
            corrected: {
                estimate: number;
                lower: number;
                upper: number;
                skewed: boolean;
            } | null;
            /** @description Why there is no corrected difference */
            reason: ("no_pairs" | "judge_unknown" | "judge_changed" | "no_labels" | "few_labels" | "judge_favours" | "uninformative_judge") | null;
            labels: number;
            /** @description Whether the judge errs otherwise in one of the runs; null without labels in both */
            errs_alike: {
                p_passed: number | null;
                p_failed: number | null;
                favours: boolean;
            } | null;
            sentence: string;
        };
        ComparedCases: {
            base: string;
            head: string;
            /** @enum {string} */
            joined_by: "case_key" | "test_prompt_repeat" | "test_repeat";
            counts: {
                worse: number;
                better: number;
                undecided: number;
                still_failing: number;
                still_passing: number;
                base_only: number;
                head_only: number;
                lost: number;
                flipped: number;
                all: number;
            };
            linked: {
                /** @enum {string} */
                change: "worse" | "better" | "undecided" | "still_failing" | "still_passing" | "base_only" | "head_only";
                name: string | null;
                test_id: string | null;
                provider_id: string | null;
                prompt_id: string | null;
                repeat: number | null;
                tags: string[];
                base: {
                    case_key: string;
                    /** @enum {string} */
                    status: "pass" | "fail" | "error" | "skip" | "xfail" | "xpass";
                    score: number | null;
                    latency_ms: number | null;
                    output_tokens: number | null;
                    cost_usd: number | null;
                } | null;
                head: {
                    case_key: string;
                    /** @enum {string} */
                    status: "pass" | "fail" | "error" | "skip" | "xfail" | "xpass";
                    score: number | null;
                    latency_ms: number | null;
                    output_tokens: number | null;
                    cost_usd: number | null;
                } | null;
                output_changed: boolean | null;
                flips: {
                    label: string;
                    kind: string;
                    name: string | null;
                    base_passed: boolean;
                    base_score: number;
                    head_score: number;
                }[];
            } | null;
            cases: {
                /** @enum {string} */
                change: "worse" | "better" | "undecided" | "still_failing" | "still_passing" | "base_only" | "head_only";
                name: string | null;
                test_id: string | null;
                provider_id: string | null;
                prompt_id: string | null;
                repeat: number | null;
                tags: string[];
                base: {
                    case_key: string;
                    /** @enum {string} */
                    status: "pass" | "fail" | "error" | "skip" | "xfail" | "xpass";
                    score: number | null;
                    latency_ms: number | null;
                    output_tokens: number | null;
                    cost_usd: number | null;
                } | null;
                head: {
                    case_key: string;
                    /** @enum {string} */
                    status: "pass" | "fail" | "error" | "skip" | "xfail" | "xpass";
                    score: number | null;
                    latency_ms: number | null;
                    output_tokens: number | null;
                    cost_usd: number | null;
                } | null;
                output_changed: boolean | null;
                flips: {
                    label: string;
                    kind: string;
                    name: string | null;
                    base_passed: boolean;
                    base_score: number;
                    head_score: number;
                }[];
            }[];
            next_cursor: string | null;
        };
        ComparedConfigs: {
            base: components["schemas"]["RunConfig"];
            head: components["schemas"]["RunConfig"];
        };
        ComparedGroups: {
            base: string;
            head: string;
            /** @enum {string} */
            joined_by: "case_key" | "test_prompt_repeat" | "test_repeat";
            fields: {
                field: string;
                values: number;
            }[];
            groups: {
                /** @enum {string} */
                verdict: "better" | "worse" | "no_clear_change" | "too_few";
                pairs: number;
                worse: number;
                better: number;
                p_value: number | null;
                mid_p: number | null;
                difference: {
                    estimate: number;
                    lower: number;
                    upper: number;
                } | null;
                shared: number;
                adjusted_p: number | null;
                removed_by_adjustment: boolean;
                value: string | null;
                cases: number;
                base_passed: number;
                head_passed: number;
                cases_worse: number;
                cases_better: number;
            }[];
            group_count: number;
        };
        ComparisonStatistics: {
            base: {
                id: string;
                project: string | null;
                suite: string | null;
                column: {
                    provider_id: string;
                    prompt_id?: string | null;
                } | null;
                note: string | null;
                created_at: string;
                case_count: number;
                pass_rate: {
                    passed: number;
                    total: number;
                    rate: number;
                    lower: number;
                    upper: number;
                };
                providers: string[];
                prompts: string[];
                models: string[];
                cost: {
                    systems_usd: number | null;
                    missing: number;
                    grading_usd: number | null;
                };
                plan_id: string | null;
            };
            head: {
                id: string;
                project: string | null;
                suite: string | null;
                column: {
                    provider_id: string;
                    prompt_id?: string | null;
                } | null;
                note: string | null;
                created_at: string;
                case_count: number;
                pass_rate: {
                    passed: number;
                    total: number;
                    rate: number;
                    lower: number;
                    upper: number;
                };
                providers: string[];
                prompts: string[];
                models: string[];
                cost: {
                    systems_usd: number | null;
                    missing: number;
                    grading_usd: number | null;
                };
                plan_id: string | null;
            };
            /** @enum {string} */
            joined_by: "case_key" | "test_prompt_repeat" | "test_repeat";
            same_suite: boolean;
            shared: {
                cases: number;
                base_share: number | null;
                head_share: number | null;
                base_only: number;
                head_only: number;
            };
            /** @enum {string} */
            verdict: "better" | "worse" | "no_clear_change" | "too_few";
            pairs: number;
            worse: number;
            better: number;
            p_value: number | null;
            mid_p: number | null;
            difference: {
                estimate: number;
                lower: number;
                upper: number;
            } | null;
            still_passing: number;
            still_failing: number;
            left_out: number;
            left_out_by: {
                passed_then_neutral: number;
                failed_then_neutral: number;
                neutral_then_passed: number;
                neutral_then_failed: number;
                neutral_in_both: number;
            };
            assumes_independence: boolean;
            base_pairs: {
                passed: number;
                total: number;
                rate: number;
                lower: number;
                upper: number;
            };
            head_pairs: {
                passed: number;
                total: number;
                rate: number;
                lower: number;
                upper: number;
            };
            noticeable: {
                discordance: number | null;
                smallest_difference: number | null;
                pairs_needed: number | null;
            };
            scores: {
                pairs: number;
                base_mean: number;
                head_mean: number;
                difference: {
                    mean: number;
                    se: number;
                    df: number;
                    lower: number;
                    upper: number;
                    p_value: number;
                    t: number | null;
                } | null;
                bootstrap: {
                    resamples: number;
                    lower: number;
                    upper: number;
                } | null;
                smallest_difference: number | null;
            } | null;
            clustered: {
                by: string;
                passes: {
                    mean: number;
                    se: number;
                    df: number;
                    lower: number;
                    upper: number;
                    p_value: number;
                    groups: number;
                    few_groups: boolean;
                } | null;
                scores: {
                    mean: number;
                    se: number;
                    df: number;
                    lower: number;
                    upper: number;
                    p_value: number;
                    groups: number;
                    few_groups: boolean;
                } | null;
            };
            latency_ms: {
                pairs: number;
                base_median: number | null;
                head_median: number | null;
                base_total: number | null;
                head_total: number | null;
                ratio: {
                    estimate: number;
                    lower: number;
                    upper: number;
                    p_value: number;
                    pairs: number;
                    groups: number;
                    few_groups: boolean;
                } | null;
                from_cache: number;
            };
            input_tokens: {
                pairs: number;
                base_median: number | null;
                head_median: number | null;
                base_total: number | null;
                head_total: number | null;
                ratio: {
                    estimate: number;
                    lower: number;
                    upper: number;
                    p_value: number;
                    pairs: number;
                    groups: number;
                    few_groups: boolean;
                } | null;
                from_cache: number;
            };
            output_tokens: {
                pairs: number;
                base_median: number | null;
                head_median: number | null;
                base_total: number | null;
                head_total: number | null;
                ratio: {
                    estimate: number;
                    lower: number;
                    upper: number;
                    p_value: number;
                    pairs: number;
                    groups: number;
                    few_groups: boolean;
                } | null;
                from_cache: number;
            };
            cost_usd: {
                pairs: number;
                base_median: number | null;
                head_median: number | null;
                base_total: number | null;
                head_total: number | null;
                ratio: {
                    estimate: number;
                    lower: number;
                    upper: number;
                    p_value: number;
                    pairs: number;
                    groups: number;
                    few_groups: boolean;
                } | null;
                from_cache: number;
            };
            judge_changed?: components["schemas"]["JudgeChange"][];
            /** @constant */
            judged?: true;
        };
        ConsistencyProof: {
            from: number;
            to: number;
            from_root: string;
            to_root: string;
            proof: string[];
        };
        DeclaredJudge: {
            metric: string;
            /** @description False ends it */
            is_judge: boolean;
        };
        Distribution: {
            run_id: string;
            cases: number;
            tests: number;
            score: {
                unknown: number;
                median: number | null;
                p95: number | null;
                bins: {
                    from: number;
                    to: number;
                    counts: {
                        pass: number;
                        fail: number;
                        error: number;
                        skip: number;
                        xfail: number;
                        xpass: number;
                    };
                }[];
                two_valued: boolean;
            };
            latency_ms: {
                unknown: number;
                median: number | null;
                p95: number | null;
                bins: {
                    from: number;
                    to: number;
                    counts: {
                        pass: number;
                        fail: number;
                        error: number;
                        skip: number;
                        xfail: number;
                        xpass: number;
                    };
                }[];
            };
            facets: {
                tag: {
                    value: string;
                    total: number;
                    passed: number;
                }[];
                provider: {
                    value: string;
                    total: number;
                    passed: number;
                }[];
                prompt: {
                    value: string;
                    total: number;
                    passed: number;
                }[];
                stop_reason: {
                    value: string;
                    total: number;
                    passed: number;
                }[];
                error_class: {
                    value: string;
                    total: number;
                    passed: number;
                }[];
                empty_reason: {
                    value: string;
                    total: number;
                    passed: number;
                }[];
            };
            facets_capped?: string[];
            columns: {
                provider_id: string;
                prompt_id: string | null;
                tests: number;
                score_tests: number;
                latency_tests: number;
                score_mean: number | null;
                pass_fraction: number;
                latency_ms_mean: number | null;
                over_cases: {
                    cases: number;
                    pass_fraction: number;
                    score_cases: number;
                    score_mean: number | null;
                    latency_cases: number;
                    latency_ms_mean: number | null;
                    cost_cases: number;
                    cost_usd_mean: number | null;
                };
            }[];
        };
        Done: {
            /** @constant */
            ok: true;
        };
        Erased: {
            erasure_id: string;
            records: number;
            kept: number;
            documents: number;
            /** @description Parts of evidence that were erased */
            parts: number;
            /** @description Parts that stay because another run has them */
            shared_parts: number;
            /** @description Sealed bytes that are removed after this answer. Their keys are erased: nothing opens them any more */
            objects_pending: number;
            dry_run: boolean;
        };
        Error: {
            error: string;
        };
        Estimate: {
            estimate: number;
            lower: number;
            upper: number;
        };
        EvenTest: {
            first: number;
            second: number;
            p_value: number;
        };
        EvidenceCounts: {
            parts: number;
            bytes: number;
        };
        EvidenceItem: {
            /** @description 0 for what came with the upload, from 1 for what was added later */
            n: number;
            manifest_sha256: string;
            manifest_bytes: number;
            part_count: number;
            part_bytes: number;
            attached_at: string;
        };
        EvidenceList: {
            evidence: components["schemas"]["EvidenceItem"][];
            /** @description The files that the run was imported from, at most 1,000; other parts are of cases */
            originals: components["schemas"]["EvidencePart"][];
        };
        EvidencePart: {
            sha256: string;
            bytes: number;
            /** @enum {string} */
            role: "original" | "transcript" | "input" | "output" | "grading" | "other";
            /** @description Null for what belongs to the whole run */
            case_key: string | null;
            name: string | null;
            /** @description What the manifest says; the type of the bytes may be another one */
            media_type: string | null;
            from: {
                sha256: string | null;
                path: string | null;
            } | null;
        };
        FoundAccounts: {
            accounts: {
                user_id: string;
                username: string;
            }[];
        };
        Grant: {
            user_id: string;
            username: string;
            /** @enum {string} */
            level: "view" | "upload" | "manage";
            created_at: number;
            created_by: string | null;
            managed_by: string | null;
        };
        Health: {
            status: string;
        };
        Hold: {
            id: string;
            project: string | null;
            suite: string | null;
            run_id: string | null;
            reference: string;
            note: string | null;
            placed_at: string;
            placed_by: string | null;
            lifted_at: string | null;
            lifted_by: string | null;
        };
        HoldList: {
            holds: components["schemas"]["Hold"][];
            next_cursor: string | null;
        };
        ImportRefused: {
            error: string;
            refused?: {
                part: string | null;
                reason: string;
            }[];
        };
        ImportResult: {
            format: string | null;
            runs: {
                id: string;
                url: string;
                part: string | null;
                project: string | null;
                suite: string | null;
                /**
                 * @description `new`: a dry run; the run would be imported. `changed`: a run with this id is stored with other content, so nothing was written. `evidence_added`: the run was stored without the evidence that the file has, which is added.
                 * @enum {string}
                 */
                outcome: "imported" | "new" | "already_there" | "changed" | "evidence_added";
                cases: number | null;
                statuses: {
                    [key: string]: number;
                } | null;
                created_at: string | null;
            }[];
            refused: {
                part: string | null;
                reason: string;
            }[];
            losses: {
                /** @enum {string} */
                kind: "left_out" | "cut" | "changed" | "assumed" | "contradicted" | "original_only";
                path: string;
                count: number;
                bytes: number;
                note?: string;
            }[];
            /** @description The scores that have no result in the file: those that ask something first, then those that decide. */
            scores: {
                name: string;
                values: number;
                min: number;
                max: number;
                /** @description From a parameter or the file. Null: neither gives it, and 0 to 1 is assumed if all values fit. */
                range: [
                    number,
                    number
                ] | null;
                lower_is_better: boolean;
                decides: boolean;
                /** @description The value from which a score passes, or up to which it passes if low values are good. Null: the score decides nothing. */
                passes_from: number | null;
                /** @description What is needed before the score may decide: its `range` (parameter `score`), or whether a low value is good (`lower_is_better` or `higher_is_better`). */
                asks: ("range" | "direction") | null;
            }[];
        };
        ImportedLabels: {
            /** @description Null if the file has nothing new */
            queue: components["schemas"]["ReviewQueue"] | null;
            /** @description Labels that were recorded */
            labels: number;
            /** @description Labels that an earlier import has */
            repeated: number;
            left_out: {
                /** @enum {string} */
                reason: "not_by_a_person" | "cancelled" | "not_submitted" | "other_question" | "no_answer" | "unmatched" | "ambiguous" | "not_judged" | "comment" | "column";
                count: number;
                /** @description Where the first ones are in the file */
                first: string[];
            }[];
        };
        ImportedSamples: {
            project: string;
            /** @description Runs that were recorded */
            loaded: number;
            /** @description Runs of an earlier load */
            already_there: number;
        };
        InclusionProof: {
            index: number;
            size: number;
            root: string;
            leaf: string;
            proof: string[];
            checkpoint: string;
        };
        Ingested: {
            id: string;
            url: string;
            /** @description The number of cases that no list shows, because they have the key of another case */
            hidden_cases?: number;
        };
        InvitedGrant: {
            project: string;
            suite: string | null;
            /** @enum {string} */
            level: "view" | "upload" | "manage";
        };
        /** @description Everything that may change the verdicts of a judge */
        Judge: {
            /** @enum {string} */
            kind: "llm-rubric" | "exec" | "similar";
            type: string | null;
            /** @description The model that answered, else the one that was asked */
            model: string | null;
            /** @description Without members that hold secrets */
            params: unknown;
            /** @description SHA-256 of its text; `builtin/1` for the one of this service; `file:` and a path where no more is recorded */
            template: string | null;
            include_tool_calls: boolean;
            negate: boolean;
            threshold: number | null;
            /** @description SHA-256 of the command and the configuration of a program */
            program: string | null;
        };
        JudgeChange: {
            metric: string;
            /** @description The id of the judge before */
            before: string;
            after: string;
            /** @description The members of the judge that differ */
            differs: ("kind" | "type" | "model" | "params" | "template" | "include_tool_calls" | "negate" | "threshold" | "program")[];
        };
        Leaderboard: {
            run_id: string;
            /** @enum {string} */
            by: "column" | "provider";
            base: {
                provider_id: string;
                prompt_id?: string | null;
            } | null;
            base_is_best: boolean;
            column_count: number;
            columns: {
                provider_id: string;
                prompt_id?: string | null;
                cases: number;
                tests: number;
                most_trials: number;
                passes: {
                    mean: number;
                    lower: number | null;
                    upper: number | null;
                } | null;
                scores: {
                    mean: number;
                    lower: number | null;
                    upper: number | null;
                } | null;
                pass_k: {
                    k: number;
                    pass_at_k: number | null;
                    pass_hat_k: number | null;
                }[];
                latency_ms: {
                    median: number | null;
                    p95: number | null;
                };
                input_tokens_median: number | null;
                output_tokens_median: number | null;
                cost_usd: number | null;
                cost_missing: number;
                against_base: {
                    /** @enum {string} */
                    verdict: "better" | "worse" | "no_clear_change" | "too_few";
                    pairs: number;
                    worse: number;
                    better: number;
                    p_value: number | null;
                    mid_p: number | null;
                    difference: {
                        estimate: number;
                        lower: number;
                        upper: number;
                    } | null;
                    shared: number;
                    adjusted_p: number | null;
                    removed_by_adjustment: boolean;
                } | null;
            }[];
        };
        LinkedIdentity: {
            provider: string;
            /** @enum {string} */
            kind: "oidc" | "saml";
            subject: string;
            email: string | null;
            last_login_at: string | null;
        };
        MadeAccountLink: {
            id: string;
            /** @enum {string} */
            kind: "invite" | "reset";
            label: string | null;
            user_id: string | null;
            username: string | null;
            role: ("admin" | "member" | "viewer" | "reviewer") | null;
            grants: components["schemas"]["InvitedGrant"][];
            created_at: string;
            created_by: string | null;
            expires_at: string;
            /** @enum {string} */
            state: "open" | "expired" | "void";
            secret: string;
            /** @description The path of the link. The secret follows `#`, which browsers send to no server. */
            path: string;
        };
        ManyRuns: {
            base: string;
            /** @enum {string} */
            joined_by: "case_key" | "test_prompt_repeat" | "test_repeat";
            runs: {
                run: {
                    id: string;
                    project: string | null;
                    suite: string | null;
                    column: {
                        provider_id: string;
                        prompt_id?: string | null;
                    } | null;
                    note: string | null;
                    created_at: string;
                    case_count: number;
                    pass_rate: {
                        passed: number;
                        total: number;
                        rate: number;
                        lower: number;
                        upper: number;
                    };
                    providers: string[];
                    prompts: string[];
                    models: string[];
                    cost: {
                        systems_usd: number | null;
                        missing: number;
                        grading_usd: number | null;
                    };
                    plan_id: string | null;
                };
                score_mean: number | null;
                latency_ms_median: number | null;
                latency_ms_p95: number | null;
                cost_usd_median: number | null;
                input_tokens_median: number | null;
                output_tokens_median: number | null;
                against_base: {
                    /** @enum {string} */
                    verdict: "better" | "worse" | "no_clear_change" | "too_few";
                    pairs: number;
                    worse: number;
                    better: number;
                    p_value: number | null;
                    mid_p: number | null;
                    difference: {
                        estimate: number;
                        lower: number;
                        upper: number;
                    } | null;
                    shared: number;
                    adjusted_p: number | null;
                    removed_by_adjustment: boolean;
                } | null;
            }[];
            counts: {
                all: number;
                in_every_run: number;
                differ: number;
                all_passed: number;
                all_failed: number;
            };
            rows: {
                key: string;
                case_key: string;
                name: string | null;
                test_id: string | null;
                provider_id: string | null;
                prompt_id: string | null;
                repeat: number | null;
                differs: boolean;
                cells: ({
                    case_key: string;
                    /** @enum {string} */
                    status: "pass" | "fail" | "error" | "skip" | "xfail" | "xpass";
                    score: number | null;
                    latency_ms: number | null;
                    output_tokens: number | null;
                    cost_usd: number | null;
                    differs: boolean;
                } | null)[];
            }[];
            next_cursor: string | null;
        };
        Matrix: {
            run_id: string;
            columns: {
                provider_id: string;
                prompt_id: string | null;
            }[];
            rows: {
                test_id: string;
                name: string | null;
                cells: (components["schemas"]["MatrixCell"] | null)[];
            }[];
            provider_costs: {
                provider_id: string;
                cases: number;
                cost_usd: number | null;
            }[];
            next_cursor: string | null;
        };
        MatrixCell: {
            total: number;
            passed: number;
            failed: number;
            errored: number;
            skipped: number;
            xfailed: number;
            xpassed: number;
            score_mean: number | null;
            pass_fraction: number;
            distinct_outputs: number;
            latency_ms_mean: number | null;
            cost_usd: number | null;
            fallback_answered: number;
            case_keys: string[];
        };
        MatrixRows: {
            run_id: string;
            /** @enum {string} */
            value: "score" | "pass" | "latency" | "cost" | "outputs";
            row_count: number;
            range: {
                min: number;
                max: number;
            };
            rows: {
                test_id: string;
                name: string | null;
                mean: number | null;
                cells: ({
                    value: number | null;
                    passed: number;
                    failed: number;
                    total: number;
                    case_key: string | null;
                } | null)[];
            }[];
            next_cursor: string | null;
        };
        Me: {
            authenticated: boolean;
            user: components["schemas"]["OwnUser"] | null;
            /** @enum {string} */
            source: "anonymous" | "static" | "apikey" | "session";
            scope: ("review" | "read" | "write" | "admin") | null;
        };
        Meta: {
            name: string;
            version: string;
            /** @enum {string} */
            auth_mode: "open" | "protect-writes" | "closed";
            setup_required: boolean;
            supported_schema_versions: number[];
            result_schema_version: number;
            cache: {
                max_entry_bytes: number;
                max_bytes: number;
                max_age_days: number;
            };
            sso_providers: {
                name: string;
                kind: string;
                label: string;
                login_url: string;
            }[];
            cache_tiers: {
                id: string;
                label: string;
                search: string;
            }[];
            mcp_enabled: boolean;
        };
        MintedApiKey: {
            id: string;
            name: string | null;
            prefix: string;
            /** @enum {string} */
            scope: "review" | "read" | "write" | "admin";
            expires_at: string | null;
            project: string | null;
            suite: string | null;
            created_at: string;
            last_used_at: string | null;
            revoked: boolean;
            key: string;
        };
        MissingParts: {
            missing: string[];
        };
        MyReviewItem: {
            id: string;
            queue_id: string;
            /** @enum {string} */
            role: "reviewer" | "adjudicator";
            closed: boolean;
            rubric: {
                id: string;
                version: number;
                name: string;
                text: string;
                questions: components["schemas"]["RubricQuestion"][];
            };
            /** @description What the rubric shows of the case: prompt, output, tool calls or variables. Of a pair, what both have */
            parts: {
                field: string;
                label: string;
                value: unknown;
            }[];
            /** @description Of a pair, what differs: of the case that is shown first, then of the other. In the answers of the caller, `a` is the first and `b` the other */
            sides: {
                field: string;
                label: string;
                value: unknown;
            }[][] | null;
            /** @description Own ones, the newest last */
            labels: {
                id: string;
                answers: {
                    [key: string]: unknown;
                };
                texts: {
                    [key: string]: unknown;
                } | null;
                seconds: number;
                recognised: boolean;
                standing: boolean;
                withdrawn: boolean;
            }[];
            /** @description For an adjudicator, the labels of an item that waits, without names; null for others */
            to_decide: {
                answers: {
                    [key: string]: unknown;
                };
                texts: {
                    [key: string]: unknown;
                } | null;
            }[] | null;
        };
        MyReviewItems: {
            items: components["schemas"]["MyReviewItem"][];
        };
        MyReviewQueues: {
            queues: {
                id: string;
                name: string;
                /** @enum {string} */
                role: "reviewer" | "adjudicator";
                /** @description Items that wait for the caller */
                left: number;
                /** @description Items that the caller labelled, or adjudicated */
                done: number;
                closed_at: string | null;
            }[];
        };
        NearestRun: {
            base: string;
            head: string;
            nearest: {
                id: string;
                project: string | null;
                suite: string | null;
                note: string | null;
                created_at: string;
                case_count: number;
                pairs: number;
            } | null;
            others: {
                runs: number;
                same_providers: number;
                most_pairs: number;
            } | null;
        };
        Overview: {
            suites: components["schemas"]["OverviewSuite"][];
            next_cursor: string | null;
            counts: {
                suites: number;
                attention: number;
                steady: number;
                no_trend: number;
                snoozed: number;
                quiet: number;
                archived: number;
            };
            projects: {
                project: string;
                suite_count: number;
            }[];
            activity: {
                days: {
                    date: string;
                    runs: number;
                    cost_usd: number | null;
                    grader_cost_usd: number | null;
                    runs_without_cost: number;
                }[];
                runs: number;
                cost_usd: number | null;
                grader_cost_usd: number | null;
                runs_without_cost: number;
            };
            latest_runs: {
                id: string;
                project: string | null;
                suite: string | null;
                created_at: string;
                note: string | null;
                git_branch: string | null;
                git_commit: string | null;
                case_count: number;
                pass_count: number;
                fail_count: number;
                error_count: number;
                pass_rate: {
                    passed: number;
                    total: number;
                    rate: number;
                    lower: number;
                    upper: number;
                };
                title: string | null;
            }[];
        };
        OverviewSuite: {
            project: string;
            suite: string;
            /** @enum {string} */
            group: "attention" | "steady" | "no_trend" | "snoozed" | "quiet" | "archived";
            attention: boolean;
            reason: {
                /** @enum {string} */
                code: "worse" | "lost" | "judge" | "cost" | "latency" | "flaky" | "errors" | "stale" | "better" | "no_clear_change" | "too_few" | "unchanged" | "first_run" | "other_providers" | "other_cases";
                points?: number | null;
                worse?: number;
                better?: number;
                lost?: number;
                regained?: number;
                p?: number;
                q?: number | null;
                ratio?: number;
                lower?: number;
                upper?: number;
                pairs?: number;
                metrics?: number;
                differs?: ("kind" | "type" | "model" | "params" | "template" | "include_tool_calls" | "negate" | "threshold" | "program")[];
                flaky?: number;
                errors?: number;
                idle_ms?: number;
                usual_gap_ms?: number;
                is_baseline?: boolean;
                runs?: number;
                providers?: number;
                still_failing?: {
                    cases: number;
                    runs: number;
                };
            };
            reason_text: string;
            newest_run: {
                id: string;
                project: string | null;
                suite: string | null;
                created_at: string;
                note: string | null;
                git_branch: string | null;
                git_commit: string | null;
                case_count: number;
                pass_count: number;
                fail_count: number;
                error_count: number;
                pass_rate: {
                    passed: number;
                    total: number;
                    rate: number;
                    lower: number;
                    upper: number;
                };
            };
            previous_run: {
                id: string;
                created_at: string;
                pass_rate: {
                    passed: number;
                    total: number;
                    rate: number;
                    lower: number;
                    upper: number;
                };
            } | null;
            worse: number | null;
            better: number | null;
            lost: number | null;
            regained: number | null;
            p: number | null;
            q: number | null;
            assumes_independence: boolean;
            flaky_count: number | null;
            like_run_count: number;
            run_count: number;
            usual_gap_ms: number | null;
            pass_rates: number[];
            baseline: {
                run_id: string;
                pass_rate: {
                    passed: number;
                    total: number;
                    rate: number;
                    lower: number;
                    upper: number;
                } | null;
            } | null;
            restricted: boolean;
            settings: components["schemas"]["SuiteSettings"] | null;
        };
        OwnSession: {
            id: string;
            created_at: string;
            last_used_at: string | null;
            expires_at: string;
            address: string | null;
            is_current: boolean;
        };
        OwnSessions: {
            sessions: components["schemas"]["OwnSession"][];
        };
        OwnUser: {
            id: string;
            username: string;
            /** @enum {string} */
            role: "admin" | "member" | "viewer" | "reviewer";
            has_password: boolean;
            identities: components["schemas"]["LinkedIdentity"][];
            role_managed_by: string | null;
        };
        PartReceived: {
            sha256: string;
            /** @description The bytes of the whole part */
            bytes: number;
            /** @description The bytes that are there */
            received: number;
            complete: boolean;
        };
        PartUpload: {
            bytes: number;
            received: number;
            /** @description The first and the last byte of each gap */
            missing: [
                number,
                number
            ][];
            complete: boolean;
        };
        PartsReceived: {
            parts: {
                sha256: string;
                bytes: number;
            }[];
        };
        Plan: {
            id: string;
            project: string;
            suite: string;
            plan_sha256: string;
            plan_bytes: number | null;
            config_digest: string | null;
            metric: "pass_rate" | null;
            comparator: (">=" | ">") | null;
            threshold: number | null;
            case_count: number | null;
            registered_by: string | null;
            attempts: number;
            registered_at: string;
            revealed_at: string | null;
            withdrawn_at: string | null;
        };
        PlanDetail: {
            id: string;
            project: string;
            suite: string;
            plan_sha256: string;
            plan_bytes: number | null;
            config_digest: string | null;
            metric: "pass_rate" | null;
            comparator: (">=" | ">") | null;
            threshold: number | null;
            case_count: number | null;
            registered_by: string | null;
            attempts: number;
            registered_at: string;
            revealed_at: string | null;
            withdrawn_at: string | null;
            text: string | null;
        };
        PlanList: {
            plans: components["schemas"]["Plan"][];
            next_cursor: string | null;
        };
        PreviousRun: {
            run_id: string;
            previous: {
                id: string;
                created_at: string;
                note: string | null;
                case_count: number;
                pass_count: number;
                shared: number;
                worse: number;
                better: number;
                lost: number;
                added: number;
                removed: number;
            } | null;
            /** @description Metrics that another judge decided than in the previous run; absent if there is none */
            judge_changed?: components["schemas"]["JudgeChange"][];
        };
        ProjectList: {
            projects: {
                project: string;
                run_count: number;
                suite_count: number;
                last_run_at: string;
            }[];
        };
        ProjectSet: {
            project: string;
            restricted: boolean;
            my_level: ("view" | "upload" | "manage") | null;
            suites: components["schemas"]["SuiteSetView"][];
        };
        ProjectSetView: {
            project: string;
            suite_count: number;
            run_count: number;
            last_run_at: number;
            pass_count: number;
            fail_count: number;
            error_count: number;
            case_count: number;
            empty_count?: number;
            recent_pass_rates: number[];
            restricted: boolean;
            my_level: ("view" | "upload" | "manage") | null;
        };
        ProjectSets: {
            projects: components["schemas"]["ProjectSetView"][];
        };
        Readiness: {
            status: string;
            /** @description Why nothing can be uploaded, although reads are served. */
            problem?: string;
        };
        Receipt: {
            index: number;
            size: number;
            root: string;
            leaf: string;
            proof: string[];
            checkpoint: string;
            opening: {
                body: string;
                recorded_at: number;
                salt: string;
                type: string;
                /** @constant */
                v: 1;
            };
        };
        RecordedLabel: {
            label_id: string;
        };
        RemovedSamples: {
            /** @description Runs that were deleted */
            removed: number;
            /** @description Runs that stay, because they are under legal hold */
            held: number;
        };
        Retention: {
            dry_run: boolean;
            runs: number;
            cache_entries: number;
        };
        ReviewAgreement: {
            /** @description The kind of the deciding question */
            kind: string;
            /** @description Items with two labels or more that say something */
            items: number;
            percent: {
                estimate: number;
                lower: number;
                upper: number;
            } | null;
            /** @description Gwet's AC1; AC2 for scores */
            ac: components["schemas"]["AgreementCoefficient"];
            /** @description Krippendorff's alpha */
            alpha: components["schemas"]["AgreementCoefficient"];
            cohen: {
                kappa: number | null;
                se?: number;
                items?: number;
                /** @enum {string} */
                reason?: "fewer_than_two_items" | "one_category" | "not_for_sets" | "not_two_people" | "not_three_people";
            };
            fleiss: components["schemas"]["AgreementCoefficient"];
            pass_share: number | null;
            /** @description So many labels pass that alpha is low although people agree */
            many_passes: boolean;
            people: {
                person: string;
                labels: number;
                agrees_with_final: {
                    agree: number;
                    of: number;
                };
                pass_share: number | null;
                cannot_tell: number;
                median_seconds: number | null;
                rushed: boolean;
            }[];
            preference: {
                options: components["schemas"]["EvenTest"];
                sides: components["schemas"]["EvenTest"];
                ties: number;
            } | null;
        };
        ReviewItemList: {
            items: {
                id: string;
                run_id: string | null;
                case_key: string | null;
                test_id: string | null;
                name: string | null;
                /** @description Of a pair, the case B; null for others and once its run was deleted */
                second: {
                    run_id: string;
                    case_key: string;
                } | null;
                judge_id: string | null;
                verdict: ("pass" | "fail") | null;
                /** @description Null for those who may not see it yet */
                state: ("open" | "waiting" | "final" | "gone") | null;
                final: string | null;
                final_score: number | null;
                /** @description Null until the queue is closed */
                labels: {
                    letter: string;
                    /** @description The answer to the deciding question: of a score, its side */
                    decides: string | null;
                    answers: {
                        [key: string]: unknown;
                    };
                    texts: {
                        [key: string]: unknown;
                    } | null;
                    /** @description Null if the file of an imported label does not say it */
                    seconds: number | null;
                    blind: string;
                    recognised: boolean;
                    adjudicates: boolean;
                    own_run: boolean;
                }[] | null;
            }[];
            next_cursor: string | null;
        };
        ReviewQueue: {
            id: string;
            project: string;
            suite: string;
            rubric_id: string;
            rubric_version: number;
            /** @description The name of the rubric */
            name: string;
            /** @enum {string} */
            target: "case" | "metric";
            metric: string | null;
            /** @description Labels that each case gets */
            per_item: number;
            /** @enum {string} */
            resolve: "adjudicate" | "majority";
            selection: {
                kind: string;
                count?: number;
                passed?: number;
                failed?: number;
                half_width?: number | null;
                /** @description Of imported labels, the format of their file */
                format?: string;
            };
            seed: string;
            /** @description Cases were chosen by what the judge said: never part of a calibration */
            targeted: boolean;
            runs: {
                /** @description Null if the run was deleted */
                run_id: string | null;
                judge_id: string | null;
                passed: number;
                failed: number;
                other: number;
            }[];
            items: number;
            opened_at: string;
            opened_by: string | null;
            closed_at: string | null;
            cause: ("complete" | "request") | null;
            /** @description While the queue is open, only for those who opened it, adjudicate in it or manage the suite; `gone`, `final` and `waiting` only for those who never labelled in it */
            progress: {
                /** @description Standing labels */
                given: number;
                /** @description Items with some of their labels */
                started: number;
                /** @description Items with all of their labels */
                full: number;
                declined: number;
                /** @description Items whose run was deleted before they had a final label */
                gone: number | null;
                /** @description Labels that were erased */
                erased: number;
                final: number | null;
                /** @description Items that wait for an adjudicator */
                waiting: number | null;
            } | null;
            people: {
                letter: string;
                /** @description Only for those who opened the queue or manage the suite */
                name: string | null;
                /** @enum {string} */
                role: "reviewer" | "adjudicator";
                /** @description Their standing labels, of an adjudicator the decisions; with `progress` */
                labelled: number | null;
                declined: number | null;
            }[];
            /** @description As what the caller is listed */
            my_role: ("reviewer" | "adjudicator") | null;
        };
        ReviewQueueList: {
            queues: components["schemas"]["ReviewQueue"][];
            next_cursor: string | null;
        };
        ReviewQueuePreview: {
            items: number;
            targeted: boolean;
            seed: string;
            groups: {
                passed: {
                    cases: number;
                    taken: number;
                };
                failed: {
                    cases: number;
                    taken: number;
                };
            };
            /** @description To expect of the calibrated pass rate */
            half_width: number | null;
        };
        Rubric: {
            id: string;
            name: string;
            project: string;
            suite: string;
            version: number;
            text_sha256: string;
            change: ("wording" | "meaning") | null;
            valid_days: number;
            versioned_by: string | null;
            versioned_at: string;
            retired_at: string | null;
            questions: components["schemas"]["RubricQuestion"][];
            show: {
                field: string;
                label: string;
            }[];
        };
        RubricDetail: {
            id: string;
            name: string;
            project: string;
            suite: string;
            version: number;
            text_sha256: string;
            change: ("wording" | "meaning") | null;
            valid_days: number;
            versioned_by: string | null;
            versioned_at: string;
            retired_at: string | null;
            questions: components["schemas"]["RubricQuestion"][];
            show: {
                field: string;
                label: string;
            }[];
            text: string;
        };
        RubricList: {
            rubrics: components["schemas"]["Rubric"][];
            next_cursor: string | null;
        };
        RubricOption: {
            key: string;
            label: string;
            pass?: boolean;
        };
        RubricQuestion: {
            key: string;
            /** @enum {string} */
            kind: "verdict" | "score" | "category" | "categories" | "preference" | "comment" | "span";
            label: string;
            deciding: boolean;
            min?: number;
            max?: number;
            step?: number;
            pass_from?: number;
            options?: components["schemas"]["RubricOption"][];
        };
        RunAdded: {
            title: string | null;
            note: string | null;
            tags: string[];
            revision: string;
            at: string;
            by: string | null;
        };
        RunAnnotations: {
            annotations: components["schemas"]["RunAdded"][];
            next_cursor: string | null;
        };
        RunCalibration: {
            run_id: string;
            /**
             * @description `case`: whole cases. `metric`: one judged metric of each case
             * @enum {string}
             */
            target: "case" | "metric";
            metric: string | null;
            /** @description The size of the log up to which it was read; null for all of it */
            as_of: number | null;
            cluster_by: string;
            /** @description The rubric that the labels follow, with the versions that mean the same */
            rubric: {
                id: string;
                first: number;
                last: number;
                valid_days: number;
                changed_in: number | null;
            } | null;
            queues: string[];
            /** @description Which labels were used: the SHA-256 of a line for each, `QUEUE.N PASS SCORE` and a line feed, in ascending order */
            labels_sha256: string | null;
            /** @description The labels that people gave in these queues */
            given: {
                labels: number;
                people: number;
                /** @description By accounts that cannot read what the judge said */
                enforced: number;
                /** @description By accounts that could have looked it up */
                trusted: number;
                /** @description Imported */
                unknown: number;
                /** @description By people who recognised the model */
                recognised: number;
                /** @description By people who uploaded the run */
                own_run: number;
            };
            judge_id: string | null;
            /** @description Other judges of the metric in the run: their cases are left out */
            other_judges: number;
            /** @enum {string} */
            state: "good" | "stale" | "weak" | "none";
            /** @description All that keeps the state from `good`, the gravest first */
            reasons: {
                /** @enum {string} */
                state: "stale" | "weak" | "none";
                code: string;
                text: string;
            }[];
            sentence: string;
            /** @description By the judge, and by status where no judge decides */
            judge_alone: {
                passed: number;
                total: number;
                rate: number;
                lower: number;
                upper: number;
            };
            method: ("own" | "carried_over") | null;
            rate: components["schemas"]["CalibratedRate"];
            own: components["schemas"]["CalibratedRate"];
            carried_over: components["schemas"]["CalibratedRate"];
            finding: ("passes_too_much" | "passes_too_little" | "no_clear_difference") | null;
            /** @description Cases that no judge decided */
            as_is: {
                passed: number;
                total: number;
            };
            labels: {
                x1: number;
                m1: number;
                x0: number;
                m0: number;
                total: number;
                other_criterion: number;
                runs: number;
                newest_at: string | null;
                of_passed: {
                    passed: number;
                    total: number;
                    rate: number;
                    lower: number;
                    upper: number;
                };
                of_failed: {
                    passed: number;
                    total: number;
                    rate: number;
                    lower: number;
                    upper: number;
                };
            };
            pool: {
                passed: number;
                total: number;
            };
            judge: {
                human_rate: components["schemas"]["Estimate"];
                sensitivity: components["schemas"]["Estimate"];
                specificity: components["schemas"]["Estimate"];
                youden: components["schemas"]["Estimate"];
                agreement: components["schemas"]["Estimate"];
                kappa: components["schemas"]["Estimate"];
                ac1: components["schemas"]["Estimate"];
            } | null;
            people: {
                items: number;
                percent: components["schemas"]["Estimate"] | null;
                ac1: {
                    estimate: number;
                    lower: number;
                    upper: number;
                    se: number;
                    observed: number;
                    expected: number;
                    units: number;
                } | null;
                alpha: {
                    estimate: number;
                    lower: number;
                    upper: number;
                    se: number;
                    observed: number;
                    expected: number;
                    units: number;
                } | null;
                pass_share: number | null;
                many_passes: boolean;
            };
            score: {
                estimate: number;
                lower: number;
                upper: number;
                lambda: number;
                se: number;
                df: number;
                skewness: number | null;
                labels: number;
                skewed: boolean;
            } | null;
            coverage: {
                tests: number;
                in_pool: number;
                other_criterion: number;
            } | null;
            drift: {
                p_passed: number | null;
                p_failed: number | null;
                drifted: boolean;
            } | null;
            plans: {
                half_width: number;
                labels: number | null;
                more: {
                    passed: number;
                    failed: number;
                } | null;
                reason: ("run_too_small" | "too_few_cases") | null;
                run_half_width: number;
            }[];
        };
        RunChanges: {
            runs: {
                run_id: string;
                previous: {
                    id: string;
                    worse: number;
                    better: number;
                } | null;
            }[];
        };
        RunComparison: {
            base: string;
            head: string;
            summary: {
                newly_failing: number;
                newly_passing: number;
                still_failing: number;
                output_changed: number;
                added: number;
                removed: number;
            };
            cases: {
                case_key: string;
                name: string | null;
                base_status: ("pass" | "fail" | "error" | "skip" | "xfail" | "xpass") | null;
                head_status: ("pass" | "fail" | "error" | "skip" | "xfail" | "xpass") | null;
                /** @enum {string} */
                delta: "newly_failing" | "newly_passing" | "still_failing" | "still_passing" | "unchanged" | "added" | "removed";
                output_changed: boolean;
                base_score: number | null;
                head_score: number | null;
                score_delta: number | null;
                assert_flips: {
                    kind: string;
                    base_passed: boolean;
                    head_passed: boolean;
                    base_score: number;
                    head_score: number;
                }[];
                /** @enum {string} */
                change: "prompt_changed" | "provider_changed" | "asserts_changed" | "grader_changed" | "unknown" | "model_drift" | "output_drift" | "unstable_grader" | "stable";
            }[];
            stats: {
                mcnemar: {
                    regressions: number;
                    fixes: number;
                    statistic: number;
                    significant: boolean;
                    p_value: number;
                };
                base_pass_rate: {
                    passed: number;
                    total: number;
                    rate: number;
                    lower: number;
                    upper: number;
                };
                head_pass_rate: {
                    passed: number;
                    total: number;
                    rate: number;
                    lower: number;
                    upper: number;
                };
            };
            totals: {
                base: {
                    prompt_tokens: number;
                    completion_tokens: number;
                    cost_usd: number | null;
                    duration_ms: number | null;
                    case_count: number;
                    pass_count: number;
                };
                head: {
                    prompt_tokens: number;
                    completion_tokens: number;
                    cost_usd: number | null;
                    duration_ms: number | null;
                    case_count: number;
                    pass_count: number;
                };
            };
            config: {
                base_digest: string | null;
                head_digest: string | null;
                changed: boolean | null;
                components: {
                    /** @enum {string} */
                    component: "prompts" | "providers" | "tests" | "asserts" | "grader";
                    base: string | null;
                    head: string | null;
                    changed: boolean | null;
                }[];
            };
        };
        RunConfig: {
            run_id: string;
            config_digest: string | null;
            config: unknown;
        };
        RunDetail: {
            id: string;
            project: string | null;
            suite: string | null;
            created_at: string;
            git_branch: string | null;
            git_commit: string | null;
            git_dirty: boolean | null;
            case_count: number;
            pass_count: number;
            fail_count: number;
            error_count: number;
            xfail_count: number;
            xpass_count: number;
            /** @description The 95 % interval of the pass rate over tests, of a run whose tests have several trials. Without it, the interval is that of Wilson over cases. */
            pass_interval?: {
                lower: number;
                upper: number;
            };
            prompt_tokens: number;
            completion_tokens: number;
            cost_usd: number | null;
            duration_ms: number;
            cache_hits: number | null;
            cache_misses: number | null;
            actor: string | null;
            host: string | null;
            uploaded_by: string | null;
            ci_provider: string | null;
            ci_run_url: string | null;
            note: string | null;
            service_version: string | null;
            tags: string[];
            uploaded_at: string;
            schema_version: number;
            content_hash: string;
            config_digest: string | null;
            cache_read_tokens: number | null;
            cache_write_tokens: number | null;
            cache_savings_usd: number | null;
            grader_cost_usd: number | null;
            assert_labels: string[];
            empty_counts?: {
                [key: string]: number;
            };
            /** @description The number of cases that no list shows, because they have the key of another case */
            hidden_cases?: number;
            held: boolean;
            plan: components["schemas"]["RunPlan"] | null;
            added?: components["schemas"]["RunAdded"];
            /** @description Absent if there is none */
            evidence?: components["schemas"]["EvidenceCounts"];
            /** @description Absent if nothing was judged */
            judges?: components["schemas"]["RunJudge"][];
            /** @description Metrics that another judge decided than in the like run before; absent if there is none */
            judge_changed?: components["schemas"]["JudgeChange"][];
        };
        RunDocument: {
            schema_version: number;
            run_id: string;
            project?: string | null;
            suite?: string | null;
            /**
             * Format: date-time
             * @description An RFC 3339 instant with at most nine fraction digits.
             */
            started_at: string;
            /**
             * Format: date-time
             * @description An RFC 3339 instant with at most nine fraction digits.
             */
            finished_at: string;
            config_digest: string;
            config_snapshot: unknown;
            cases: ({
                cell: {
                    provider_id: string;
                    prompt_id?: string | null;
                    test_id: string;
                    repeat?: number;
                } & {
                    [key: string]: unknown;
                };
                case_key: string;
                /** @enum {string} */
                status: "pass" | "fail" | "error" | "skip" | "xfail" | "xpass";
                score: number;
                latency_ms: number;
            } & {
                [key: string]: unknown;
            })[];
            summary: {
                total: number;
                passed: number;
                failed: number;
                errored: number;
                skipped: number;
            } & {
                [key: string]: unknown;
            };
        } & {
            [key: string]: unknown;
        };
        RunFacets: {
            projects: {
                project: string;
                run_count: number;
            }[];
            suites: {
                suite: string;
                projects: string[];
                run_count: number;
            }[];
            providers: {
                provider: string;
                run_count: number;
            }[];
        };
        RunInSuite: {
            id: string;
            project: string | null;
            suite: string | null;
            created_at: string;
            git_branch: string | null;
            git_commit: string | null;
            git_dirty: boolean | null;
            case_count: number;
            pass_count: number;
            fail_count: number;
            error_count: number;
            xfail_count: number;
            xpass_count: number;
            /** @description The 95 % interval of the pass rate over tests, of a run whose tests have several trials. Without it, the interval is that of Wilson over cases. */
            pass_interval?: {
                lower: number;
                upper: number;
            };
            prompt_tokens: number;
            completion_tokens: number;
            cost_usd: number | null;
            duration_ms: number;
            cache_hits: number | null;
            cache_misses: number | null;
            actor: string | null;
            host: string | null;
            uploaded_by: string | null;
            ci_provider: string | null;
            ci_run_url: string | null;
            note: string | null;
            service_version: string | null;
            tags: string[];
            uploaded_at: string;
            schema_version: number;
            content_hash: string;
            config_digest: string | null;
            cache_read_tokens: number | null;
            cache_write_tokens: number | null;
            cache_savings_usd: number | null;
            grader_cost_usd: number | null;
            assert_labels: string[];
            empty_counts?: {
                [key: string]: number;
            };
            /** @description The number of cases that no list shows, because they have the key of another case */
            hidden_cases?: number;
            held: boolean;
            plan: components["schemas"]["RunPlan"] | null;
            added?: components["schemas"]["RunAdded"];
            /** @description Absent if there is none */
            evidence?: components["schemas"]["EvidenceCounts"];
            /** @description Absent if nothing was judged */
            judges?: components["schemas"]["RunJudge"][];
            /** @description Metrics that another judge decided than in the like run before; absent if there is none */
            judge_changed?: components["schemas"]["JudgeChange"][];
            set: {
                baseline_run_id: string | null;
                restricted: boolean;
                my_level: ("view" | "upload" | "manage") | null;
            } | null;
            previous: {
                id: string;
                created_at: string;
                note: string | null;
                case_count: number;
                pass_count: number;
                shared: number;
                worse: number;
                better: number;
                lost: number;
                added: number;
                removed: number;
            } | null;
            comments: number;
        };
        RunJudge: {
            metric: string;
            /** @description Null if it is not known what judged. Null is never equal to null. */
            judge_id: string | null;
            judge: components["schemas"]["Judge"];
            passed: number;
            failed: number;
            other: number;
        };
        RunList: {
            runs: components["schemas"]["RunListItem"][];
            next_cursor: string | null;
            cached_hidden: number | null;
        };
        RunListItem: {
            id: string;
            project: string | null;
            suite: string | null;
            created_at: string;
            git_branch: string | null;
            git_commit: string | null;
            git_dirty: boolean | null;
            case_count: number;
            pass_count: number;
            fail_count: number;
            error_count: number;
            xfail_count: number;
            xpass_count: number;
            pass_rate: number;
            /** @description The 95 % interval of the pass rate over tests, of a run whose tests have several trials. Without it, the interval is that of Wilson over cases. */
            pass_interval?: {
                lower: number;
                upper: number;
            };
            prompt_tokens: number;
            completion_tokens: number;
            cost_usd: number | null;
            duration_ms: number;
            cache_hits: number | null;
            cache_misses: number | null;
            empty_count?: number;
            /** @description The first 10 providers of its cases */
            providers?: string[];
            provider_count?: number;
            actor: string | null;
            host: string | null;
            uploaded_by: string | null;
            ci_provider: string | null;
            ci_run_url: string | null;
            note: string | null;
            service_version: string | null;
            tags: string[];
            uploaded_at: string;
            added?: components["schemas"]["RunAdded"];
        };
        RunPlan: {
            id: string;
            registered_at: string;
            attempt: number;
            attempts: number;
            /** @enum {string} */
            state: "before" | "late";
            met: boolean | null;
            complete: boolean | null;
        };
        RunSearch: {
            runs: {
                id: string;
                project: string | null;
                suite: string | null;
                created_at: string;
                snippet: string;
                cached: boolean | null;
                added?: components["schemas"]["RunAdded"];
            }[];
            run_count: number;
            more: boolean;
            next_cursor: string | null;
        };
        RunStatistics: {
            run: {
                id: string;
                project: string | null;
                suite: string | null;
                column: {
                    provider_id: string;
                    prompt_id?: string | null;
                } | null;
                note: string | null;
                created_at: string;
                case_count: number;
                pass_rate: {
                    passed: number;
                    total: number;
                    rate: number;
                    lower: number;
                    upper: number;
                };
                providers: string[];
                prompts: string[];
                models: string[];
                cost: {
                    systems_usd: number | null;
                    missing: number;
                    grading_usd: number | null;
                };
                plan_id: string | null;
            };
            units: number;
            decided: {
                passed: number;
                total: number;
                rate: number;
                lower: number;
                upper: number;
            };
            left_out: number;
            errors: number;
            passes: {
                mean: number;
                se: number;
                df: number;
                lower: number;
                upper: number;
            } | null;
            scores: {
                mean: number;
                se: number;
                df: number;
                lower: number;
                upper: number;
            } | null;
            clustered: {
                by: string;
                passes: {
                    mean: number;
                    se: number;
                    df: number;
                    lower: number;
                    upper: number;
                    groups: number;
                    few_groups: boolean;
                } | null;
                scores: {
                    mean: number;
                    se: number;
                    df: number;
                    lower: number;
                    upper: number;
                    groups: number;
                    few_groups: boolean;
                } | null;
            };
            trials: {
                most: number;
                variance: {
                    cases: number;
                    trials: number;
                    within: number;
                    between: number;
                    icc: number | null;
                    mean: number;
                    se_cases_sampled: number;
                    se_cases_fixed: number;
                } | null;
            } | null;
            pass_k: {
                k: number;
                pass_at_k: number | null;
                pass_hat_k: number | null;
                units: number;
                left_out: number;
            }[];
            latency_ms: {
                cases: number;
                missing: number;
                median: number | null;
                total: number | null;
            };
            input_tokens: {
                cases: number;
                missing: number;
                median: number | null;
                total: number | null;
            };
            output_tokens: {
                cases: number;
                missing: number;
                median: number | null;
                total: number | null;
            };
        };
        SavedView: {
            id: string;
            name: string;
            path: string;
            query: string;
            pinned: boolean;
            position: number;
            created_at: string;
            updated_at: string;
            shared_at: string | null;
        };
        SavedViews: {
            views: components["schemas"]["SavedView"][];
            shared: components["schemas"]["SharedView"][];
        };
        SearchHits: {
            runs: {
                id: string;
                project: string | null;
                suite: string | null;
                created_at: string;
                snippet: string;
                cached: boolean | null;
                added?: components["schemas"]["RunAdded"];
            }[];
            cases: {
                run_id: string;
                case_key: string;
                name: string | null;
                status: string;
                project: string | null;
                suite: string | null;
                snippet: string;
                cached: boolean | null;
            }[];
        };
        Server: {
            version: string;
            instance: string;
            node_version: string;
            started_at: string;
            uptime_ms: number;
            memory_bytes: number;
            /** @enum {string} */
            auth_mode: "open" | "protect-writes" | "closed";
            public_url: string | null;
            storage: {
                /** @enum {string} */
                kind: "sqlite" | "postgres";
                location: string;
                free_bytes: number | null;
                schema: number;
            };
            /** @description The bucket of large parts; null if they are in files or in the database. Objects are pending until their bytes are removed, and documents until they are moved there */
            object_store: {
                location: string;
                is_up: boolean;
                objects_pending: number;
                documents_pending: number;
            } | null;
            retention: {
                run_max_age_days: number | null;
                cache_max_age_days: number;
                cache_max_bytes: number;
                cache_max_entry_bytes: number;
                sweep_empty_reasons: string[];
            };
            log: {
                size: number;
                root: string;
                recorded_at: string | null;
            };
            /** @description The bytes of parts are counted at most every ten minutes; all else is of now */
            contents: {
                runs: number;
                cases: number;
                documents_bytes: number;
                cache_entries: number;
                cache_bytes: number;
                database_bytes: number;
                part_bytes: {
                    database: number;
                    table: number;
                    files: number;
                    s3: number;
                };
                part_bytes_counted_at: string;
            };
            read_tables: {
                name: string;
                version: number | null;
                rebuilt_to: number;
                /** @enum {string} */
                state: "current" | "building" | "missing";
                built: number | null;
            }[];
            last: {
                start: {
                    seq: number;
                    recorded_at: string;
                    data: {
                        [key: string]: unknown;
                    } | null;
                } | null;
                rebuild: {
                    seq: number;
                    recorded_at: string;
                    data: {
                        [key: string]: unknown;
                    } | null;
                } | null;
                cache_prune: {
                    seq: number;
                    recorded_at: string;
                    data: {
                        [key: string]: unknown;
                    } | null;
                } | null;
            };
        };
        SessionsEnded: {
            ended: number;
        };
        SharedView: {
            id: string;
            name: string;
            path: string;
            query: string;
            shared_at: string;
            shared_by: string;
        };
        ShownInvite: {
            /** @enum {string} */
            role: "admin" | "member" | "viewer" | "reviewer";
            grants: components["schemas"]["InvitedGrant"][];
            invited_by: string | null;
            expires_at: string;
        };
        ShownResetLink: {
            username: string;
            expires_at: string;
        };
        SignedIn: {
            token: string;
            user: components["schemas"]["User"];
        };
        SuiteFlakiness: {
            project: string;
            suite: string;
            branch: string | null;
            window: number;
            runs: {
                id: string;
                created_at: string;
            }[];
            case_count: number;
            flaky_count: number;
            flipping_count: number;
            cases: {
                case_key: string;
                test_id: string | null;
                provider_id: string | null;
                prompt_id: string | null;
                name: string | null;
                points: number;
                flips: number;
                flip_rate: number | null;
                pass_rate: number | null;
                expected_flip_rate: number | null;
                flaky: boolean;
                marks: string;
            }[];
        };
        SuiteGrid: {
            runs: {
                id: string;
                created_at: string;
                note: string | null;
                git_branch: string | null;
                git_commit: string | null;
                config_digest: string | null;
                digests: {
                    prompts: string | null;
                    providers: string | null;
                    tests: string | null;
                    asserts: string | null;
                    grader: string | null;
                };
                case_count: number;
                pass_count: number;
                pass_interval?: {
                    lower: number;
                    upper: number;
                };
                fail_count: number;
                error_count: number;
                provider_ids: string[];
                cost_usd_median?: number | null;
                latency_ms_median?: number | null;
            }[];
            rows: {
                case_key: string;
                test_id: string | null;
                provider_id: string | null;
                prompt_id: string | null;
                repeat: number | null;
                name: string | null;
                marks: string;
                values?: (number | null)[];
                flips: number;
                last_change: {
                    run_id: string;
                    created_at: string;
                    from: string;
                    to: string;
                } | null;
                passed: number;
                counted: number;
            }[];
            row_count: number;
            fold: ("trials" | "test") | null;
            newest_providers: {
                provider_id: string;
                passed: number;
                total: number;
            }[];
            next_cursor: string | null;
        };
        SuiteJudges: {
            project: string;
            suite: string;
            metrics: {
                metric: string;
                /** @enum {string} */
                kind: "llm-rubric" | "exec" | "similar";
                /** @description True for models; for code, whether the suite declared it to be a judge */
                is_judge: boolean;
                judges: {
                    /** @description Null if it is not known what judged. Null is never equal to null. */
                    judge_id: string | null;
                    judge: components["schemas"]["Judge"];
                    passed: number;
                    failed: number;
                    other: number;
                    runs: number;
                    first_run: {
                        id: string;
                        created_at: string;
                    };
                    last_run: {
                        id: string;
                        created_at: string;
                    };
                }[];
            }[];
        };
        SuiteList: {
            project: string;
            suites: {
                suite: string;
                run_count: number;
                last_run_at: string | null;
                baseline_run_id: string | null;
                series: {
                    run_id: string;
                    created_at: string;
                    total: number;
                    passed: number;
                    pass_rate: number;
                }[];
            }[];
        };
        SuiteSet: {
            suite: string;
            run_count: number;
            last_run_at: number | null;
            pass_count: number;
            fail_count: number;
            error_count: number;
            case_count: number;
            empty_count?: number;
            latest_pass_rate: number | null;
            sparkline: number[];
            baseline_run_id: string | null;
            restricted: boolean;
            my_level: ("view" | "upload" | "manage") | null;
            project: string;
        };
        SuiteSetView: {
            suite: string;
            run_count: number;
            last_run_at: number | null;
            pass_count: number;
            fail_count: number;
            error_count: number;
            case_count: number;
            empty_count?: number;
            latest_pass_rate: number | null;
            sparkline: number[];
            baseline_run_id: string | null;
            restricted: boolean;
            my_level: ("view" | "upload" | "manage") | null;
        };
        SuiteSettings: {
            owner: {
                name: string;
                at: string;
                by: string | null;
            } | null;
            snooze: {
                until: string | null;
                until_new_run: boolean;
                is_over: boolean;
                why: string | null;
                at: string;
                by: string | null;
            } | null;
            archive: {
                why: string | null;
                at: string;
                by: string | null;
            } | null;
            cost: {
                rise_percent: number;
                at: string;
                by: string | null;
            } | null;
            latency: {
                rise_percent: number;
                at: string;
                by: string | null;
            } | null;
        };
        SuiteTrend: {
            project: string;
            suite: string;
            branch: string | null;
            providers: string[];
            runs: {
                id: string;
                created_at: string;
                note: string | null;
                git_branch: string | null;
                git_commit: string | null;
                passed: number;
                total: number;
                rate: number;
                lower: number;
                upper: number;
                left_out: number;
                shared: number;
                partial: boolean;
                measures: {
                    score: {
                        value: number;
                        lower: number | null;
                        upper: number | null;
                        cases: number;
                        from_cache: number;
                    } | null;
                    cost_usd: {
                        value: number;
                        lower: number | null;
                        upper: number | null;
                        cases: number;
                        from_cache: number;
                    } | null;
                    latency_p50_ms: {
                        value: number;
                        lower: number | null;
                        upper: number | null;
                        cases: number;
                        from_cache: number;
                    } | null;
                    latency_p95_ms: {
                        value: number;
                        lower: number | null;
                        upper: number | null;
                        cases: number;
                        from_cache: number;
                    } | null;
                    tokens: {
                        value: number;
                        lower: number | null;
                        upper: number | null;
                        cases: number;
                        from_cache: number;
                    } | null;
                };
            }[];
            other_runs: number;
            has_older: boolean;
            changes: {
                run_id: string;
                before: {
                    passed: number;
                    total: number;
                    rate: number | null;
                };
                after: {
                    passed: number;
                    total: number;
                    rate: number | null;
                };
            }[];
            judge_changes?: {
                run_id: string;
                judges: components["schemas"]["JudgeChange"][];
            }[];
            judged?: boolean;
            measure_changes: {
                score: {
                    run_id: string;
                    before: number;
                    after: number;
                }[];
                cost_usd: {
                    run_id: string;
                    before: number;
                    after: number;
                }[];
                latency_p50_ms: {
                    run_id: string;
                    before: number;
                    after: number;
                }[];
                latency_p95_ms: {
                    run_id: string;
                    before: number;
                    after: number;
                }[];
                tokens: {
                    run_id: string;
                    before: number;
                    after: number;
                }[];
            };
            baseline: {
                id: string;
                created_at: string;
                note: string | null;
                measures: {
                    score: {
                        value: number;
                        lower: number | null;
                        upper: number | null;
                        cases: number;
                        from_cache: number;
                    } | null;
                    cost_usd: {
                        value: number;
                        lower: number | null;
                        upper: number | null;
                        cases: number;
                        from_cache: number;
                    } | null;
                    latency_p50_ms: {
                        value: number;
                        lower: number | null;
                        upper: number | null;
                        cases: number;
                        from_cache: number;
                    } | null;
                    latency_p95_ms: {
                        value: number;
                        lower: number | null;
                        upper: number | null;
                        cases: number;
                        from_cache: number;
                    } | null;
                    tokens: {
                        value: number;
                        lower: number | null;
                        upper: number | null;
                        cases: number;
                        from_cache: number;
                    } | null;
                };
                passed: number;
                total: number;
                rate: number;
                lower: number;
                upper: number;
                in_runs: boolean;
            } | null;
            flakiness: components["schemas"]["SuiteFlakiness"] | null;
        };
        TestOutputs: {
            test_id: string;
            name: string | null;
            against: number;
            same_prompt: boolean | null;
            columns: {
                run_id: string;
                note: string | null;
                project: string | null;
                suite: string | null;
                case_key: string;
                name: string | null;
                provider_id: string | null;
                prompt_id: string | null;
                model: string | null;
                repeat: number | null;
                /** @enum {string} */
                status: "pass" | "fail" | "error" | "skip" | "xfail" | "xpass";
                score: number | null;
                error: string | null;
                output: {
                    text: string;
                    length: number;
                    truncated: boolean;
                } | null;
                prompt: {
                    text: string;
                    length: number;
                    truncated: boolean;
                } | null;
                asserts: {
                    name: string | null;
                    kind: string;
                    negated: boolean;
                    judge: string | null;
                    /** @enum {string} */
                    status: "pass" | "fail" | "error" | "skipped";
                    score: number;
                    weight: number;
                    threshold: number | null;
                    reason: {
                        text: string;
                        length: number;
                        truncated: boolean;
                    };
                }[];
                tool_calls: string[];
                latency_ms: number | null;
                cost_usd: number | null;
                input_tokens: number | null;
                output_tokens: number | null;
            }[];
            left_out: number;
        };
        TranscriptBins: {
            /** @description Milliseconds of a bin, which begins at its number times this */
            width: number;
            lanes: {
                lane: number;
                /** @description The number of a bin, its events, its errors, and the number of its first event */
                bins: [
                    number,
                    number,
                    number,
                    number
                ][];
            }[];
        };
        TranscriptEvent: {
            n: number;
            /** @description The event, as its line has it */
            event?: unknown;
            /** @description A line that is no event */
            text?: string;
            /**
             * @description Texts are shortened; the whole event has an address of its own
             * @constant
             */
            cut?: true;
        };
        TranscriptEvents: {
            events: components["schemas"]["TranscriptEvent"][];
            /** @description The `from` of the rest; null at the end of what is outlined */
            next: number | null;
        };
        TranscriptMatches: {
            /** @description The numbers of the events */
            events: number[];
            /** @description The `from` of the rest; null at the end of what is outlined */
            next: number | null;
            /** @description The number of the last event that was looked through */
            upto: number;
            complete: boolean;
        };
        TranscriptOutline: {
            events: components["schemas"]["TranscriptOutlineItem"][];
            /** @description The `from` of the rest; null at the end of what is outlined */
            next: number | null;
            complete: boolean;
        };
        TranscriptOutlineItem: {
            n: number;
            /** @enum {string} */
            type: "span" | "span_end" | "message" | "model" | "tool" | "state" | "score" | "limit" | "error" | "approval" | "input" | "log" | "other" | "text";
            bytes: number;
            /** @description The number of the span that it is in; 0 in none */
            span: number;
            at: number | null;
            ms: number | null;
            input_tokens: number | null;
            output_tokens: number | null;
            cost_usd: number | null;
            error: boolean;
            media: boolean;
            name: string | null;
            /** @description The beginning of its text */
            label: string;
            /** @description The number of a message, from 0 */
            message: number | null;
            /** @description The same for events of the same type, name and arguments */
            signature: string;
        };
        TranscriptSpan: {
            /** @description The number of its event, by which it is named */
            n: number;
            /** @description The number of the span that it is in; 0 in none */
            parent: number;
            depth: number;
            /** @description The number of the span of the agent whose work it is; 0 for none */
            lane: number;
            name: string | null;
            kind: string | null;
            /** @description Epoch milliseconds */
            at: number | null;
            ms: number | null;
            /** @description The events in it, at any depth */
            events: number;
            errors: number;
            limits: number;
        };
        TranscriptSummary: {
            sha256: string;
            bytes: number;
            /** @description The bytes whose events are known. Below `bytes` while the outline is being made */
            outlined: number;
            complete: boolean;
            /** @description Where it comes from, as its first line says */
            source: {
                [key: string]: string;
            } | null;
            agent: {
                [key: string]: string;
            } | null;
            events: number;
            messages: number;
            /** @description The number of events of each type; `text` for lines that are none */
            types: {
                [key: string]: number;
            };
            errors: number;
            /** @description Lines that are too long to be read */
            skipped: number;
            /** @description Events whose span is not known */
            missing_parents: number;
            /** @description Spans that `spans` does not have */
            more_spans: number;
            input_tokens: number | null;
            output_tokens: number | null;
            cost_usd: number | null;
            /** @description The earliest time of an event, in epoch milliseconds */
            first_at: number | null;
            last_at: number | null;
            spans: components["schemas"]["TranscriptSpan"][];
            /** @description Events over time; null if no event has one */
            bins: components["schemas"]["TranscriptBins"] | null;
        };
        User: {
            id: string;
            username: string;
            /** @enum {string} */
            role: "admin" | "member" | "viewer" | "reviewer";
            disabled: boolean;
            created_at: string;
            email: string | null;
            has_password: boolean;
            service: boolean;
            identities: components["schemas"]["LinkedIdentity"][];
            role_managed_by: string | null;
        };
        UserOverview: {
            id: string;
            username: string;
            /** @enum {string} */
            role: "admin" | "member" | "viewer" | "reviewer";
            disabled: boolean;
            created_at: string;
            email: string | null;
            has_password: boolean;
            service: boolean;
            identities: components["schemas"]["LinkedIdentity"][];
            role_managed_by: string | null;
            live_keys: number;
            live_sessions: number;
            grants: number;
            last_seen_at: string | null;
        };
        UserOverviews: {
            users: components["schemas"]["UserOverview"][];
        };
        Users: {
            users: components["schemas"]["User"][];
        };
        Webhook: {
            id: string;
            /** @description Null if it cannot be decrypted: the webhook then sends nothing. */
            url: string | null;
            /** @description Null if it cannot be decrypted. */
            format: ("standard" | "slack" | "teams" | "discord" | "email") | null;
            events: ("run.ingested" | "run.regressed" | "run.recovered" | "run.costlier" | "run.slower" | "judge.changed" | "suite.changed" | "review.completed" | "baseline.pinned" | "baseline.unpinned" | "run.deleted")[];
            project: string | null;
            suite: string | null;
            created_at: string;
            secret_changed_at: string;
            former_secret_until: string | null;
            disabled_at: string | null;
            disabled_cause: "gone" | null;
        };
        WebhookDeliveries: {
            deliveries: components["schemas"]["WebhookDelivery"][];
            next_cursor: string | null;
        };
        WebhookDelivery: {
            id: string;
            /** @enum {string} */
            event: "run.ingested" | "run.regressed" | "run.recovered" | "run.costlier" | "run.slower" | "judge.changed" | "suite.changed" | "review.completed" | "baseline.pinned" | "baseline.unpinned" | "run.deleted" | "webhook.test";
            created_at: string;
            /** @enum {string} */
            state: "waiting" | "delivered" | "parked";
            tries: number;
            next_try_at: string | null;
            last_try_at: string | null;
            last_status: number | null;
            /** @description `refused` stands for `address_refused` and `name_not_resolved` to callers who are not admins. */
            last_error: ("status" | "redirect" | "timeout" | "address_refused" | "name_not_resolved" | "tls" | "connection" | "target_unreadable" | "switched_off" | "too_many_waiting" | "refused") | null;
        };
        WebhookTest: {
            /** @description The id of the delivery. */
            id: string;
        };
        WebhookWithSecret: {
            id: string;
            /** @description Null if it cannot be decrypted: the webhook then sends nothing. */
            url: string | null;
            /** @description Null if it cannot be decrypted. */
            format: ("standard" | "slack" | "teams" | "discord" | "email") | null;
            events: ("run.ingested" | "run.regressed" | "run.recovered" | "run.costlier" | "run.slower" | "judge.changed" | "suite.changed" | "review.completed" | "baseline.pinned" | "baseline.unpinned" | "run.deleted")[];
            project: string | null;
            suite: string | null;
            created_at: string;
            secret_changed_at: string;
            former_secret_until: string | null;
            disabled_at: string | null;
            disabled_cause: "gone" | null;
            secret: string;
        };
        Webhooks: {
            webhooks: components["schemas"]["Webhook"][];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getRootHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Readiness"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getMeta: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Meta"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getOpenApiDocument: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getRunDocumentSchema: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listRuns: {
        parameters: {
            query?: {
                /** @description Name of the project. */
                project?: string;
                /** @description Name of the suite. */
                suite?: string;
                /** @description Only those with this tag. */
                tag?: string;
                /** @description Runs with a case of this provider */
                provider?: string;
                /** @description Only runs of this branch. */
                branch?: string;
                /** @description Only those with this status. A run has the status `error` if a case of it does, else `fail` if one failed. */
                status?: "pass" | "fail" | "error";
                /** @description Epoch milliseconds or RFC 3339, inclusive. */
                since?: string;
                /** @description Epoch milliseconds or RFC 3339, inclusive. */
                until?: string;
                /** @description Whether the response of the provider was read from a cache. */
                cached?: "exclude" | "only" | "all";
                /** @description Only runs of CI, or only local ones. */
                origin?: "ci" | "local";
                /** @description Only runs whose document names this actor, or that an account or token with this name uploaded. */
                actor?: string;
                /** @description What the rows are sorted by. */
                sort?: "time" | "uploaded" | "pass_rate" | "cost" | "duration";
                /** @description The direction of the order. */
                order?: "asc" | "desc";
                /** @description Maximum number of rows, from 1 to 200. A value out of range is clamped. */
                limit?: number;
                /** @description Opaque position from `next_cursor`. With any other text, the response is the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunList"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    uploadRun: {
        parameters: {
            query?: {
                /** @description Id of the plan that the run follows. Without it, the run follows the newest plan of its suite with the same `config_digest`. */
                plan?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RunDocument"];
            };
        };
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ingested"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ingested"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It conflicts with what is stored */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Clash"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is valid JSON, but not what this accepts; `error` names the field */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteRunById: {
        parameters: {
            query: {
                /** @description Id of the run. */
                run_id: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; the response has no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It conflicts with what is stored */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listRunFacets: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunFacets"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listRunChanges: {
        parameters: {
            query: {
                /** @description 1 to 50 runs, comma-separated; a comma or a percent sign within one is percent-encoded. */
                runs: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunChanges"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    exportRunsCsv: {
        parameters: {
            query?: {
                /** @description Name of the project. */
                project?: string;
                /** @description Name of the suite. */
                suite?: string;
                /** @description Only those with this tag. */
                tag?: string;
                /** @description Runs with a case of this provider */
                provider?: string;
                /** @description Only runs of this branch. */
                branch?: string;
                /** @description Only those with this status. A run has the status `error` if a case of it does, else `fail` if one failed. */
                status?: "pass" | "fail" | "error";
                /** @description Epoch milliseconds or RFC 3339, inclusive. */
                since?: string;
                /** @description Epoch milliseconds or RFC 3339, inclusive. */
                until?: string;
                /** @description Whether the response of the provider was read from a cache. */
                cached?: "exclude" | "only" | "all";
                /** @description Only runs of CI, or only local ones. */
                origin?: "ci" | "local";
                /** @description Only runs whose document names this actor, or that an account or token with this name uploaded. */
                actor?: string;
                /** @description What the rows are sorted by. */
                sort?: "time" | "uploaded" | "pass_rate" | "cost" | "duration";
                /** @description The direction of the order. */
                order?: "asc" | "desc";
                /** @description `true` begins the file with a byte order mark, which some spreadsheets need to read UTF-8. */
                bom?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The rows as CSV */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the run. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunDetail"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the run. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; the response has no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It conflicts with what is stored */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getRunInSuite: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the run. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunInSuite"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getPreviousRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the run. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PreviousRun"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    exportRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the run. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getRunConfig: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the run. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunConfig"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getMatrix: {
        parameters: {
            query?: {
                /** @description Maximum number of rows, from 1 to 500. A value out of range is clamped. */
                limit?: number;
                /** @description Opaque position from `next_cursor`. With any other text, the response is the first page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Id of the run. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Matrix"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    compareRuns: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the run. */
                id: string;
                /** @description Id of the run that is compared with the first. */
                other: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunComparison"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    importFile: {
        parameters: {
            query?: {
                /** @description The format of the file; `auto` recognises it by its content. */
                format?: "auto" | "ers" | "promptfoo" | "inspect" | "openai-evals" | "lm-eval" | "mlflow" | "deepeval" | "every-eval-ever" | "helm" | "swe-bench" | "junit" | "table" | "ctrf" | "phoenix" | "langsmith" | "langfuse" | "braintrust" | "ers-export" | "atif" | "otlp";
                /** @description The name of the file, which may show its time. A multipart part has its own. */
                name?: string;
                /** @description The project of the runs. Default: the name of the format. */
                project?: string;
                /** @description The suite of the runs. Default: what the file says. */
                suite?: string;
                /** @description The provider of the cases. Default: what the file says. */
                provider?: string;
                /** @description The name of the assertion that decides a case; of several, all must pass. Default: those that decide in the tool. */
                scorer?: string | string[];
                /** @description A score without a result passes from this value on, in its own units: a number, or NAME=X for one score. Default: the middle of its range. May be given several times. */
                pass_threshold?: string | string[];
                /** @description The range of a score, as NAME=MIN..MAX. Default: what the file says, else 0..1. May be given several times. */
                score?: string | string[];
                /** @description The name of a score of which a low value is good. May be given several times. */
                lower_is_better?: string | string[];
                /** @description The name of a score of which a high value is good in spite of its name. May be given several times. */
                higher_is_better?: string | string[];
                /** @description The IANA zone of times without one. Default: UTC. */
                time_zone?: string;
                /** @description The time of runs whose source has none. */
                created_at?: string;
                /** @description Whether a source that has only totals becomes a run with one case for each total. */
                aggregates?: boolean;
                /** @description Whether a run is refused if its tool reports another number of cases than its file contains. */
                strict?: boolean;
                /** @description What is kept with the runs apart from their documents: `all` (the file, transcripts, pictures and other files), `transcripts` (with their pictures), or `none`. */
                evidence?: "all" | "transcripts" | "none";
                /** @description A preset for a table, such as `preset:ragas`. A map of your own is the part `map` of a multipart body. */
                map?: string;
                /** @description Whether the file is only converted and checked, and nothing is stored. */
                dry_run?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportResult"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The type or the encoding of the body is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is valid JSON, but not what this accepts; `error` names the field */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportRefused"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    exportRunAs: {
        parameters: {
            query?: {
                /** @description CSV alone: `true` begins the file with a byte order mark, which some spreadsheets need to read UTF-8. */
                bom?: boolean;
                /** @description CSV alone: `true` leaves fields as they are. Otherwise a field that begins with `=`, `+`, `-`, `@`, a tab, a line break or an apostrophe gets an apostrophe in front. */
                raw?: boolean;
            };
            header?: never;
            path: {
                /** @description Id of the run. */
                id: string;
                /** @description `jsonl`: JSON Lines; `csv`: CSV; `parquet`: Parquet; `junit`: JUnit XML; `ctrf`: CTRF; `every-eval-ever`: Every Eval Ever */
                format: "jsonl" | "csv" | "parquet" | "junit" | "ctrf" | "every-eval-ever";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The run in the format. `Content-Disposition` has a name for the file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": unknown;
                    "text/csv": unknown;
                    "application/vnd.apache.parquet": unknown;
                    "application/xml": unknown;
                    "application/json": unknown;
                    "application/zip": unknown;
                };
            };
            /** @description Not modified: the response that the client has is still valid */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    exportRunAsPage: {
        parameters: {
            query?: {
                /** @description The id of a run that it is compared with; with columns also the run itself. */
                compare?: string;
                /** @description With `compare`: the column of the run that it names, instead of all its cases. `PROVIDER`, or `PROVIDER,PROMPT` for one of its prompts; a comma or a percent sign within a name is percent-encoded. */
                base_column?: string;
                /** @description With `compare`: the column of the run of the file, instead of all its cases. `PROVIDER`, or `PROVIDER,PROMPT` for one of its prompts; a comma or a percent sign within a name is percent-encoded. */
                head_column?: string;
                /** @description Parts of the cases to leave out, separated by commas: outputs, vars, prompts, raw. */
                without?: string;
                /** @description What the file has besides: `comments` on the runs and their cases, without their authors. */
                with?: "comments";
                /** @description Whole outputs. Without it, those beyond 4 KiB are cut. */
                full?: boolean;
                /** @description The key of the case with which the page opens. */
                case?: string;
            };
            header?: never;
            path: {
                /** @description Id of the run. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page. `Content-Disposition` has a name for the file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": unknown;
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is valid JSON, but not what this accepts; `error` names the field */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    importSamples: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportedSamples"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    removeSamples: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemovedSamples"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listRunAnnotations: {
        parameters: {
            query?: {
                /** @description Maximum number of rows, from 1 to 100. A value out of range is clamped. */
                limit?: number;
                /** @description Opaque position from `next_cursor`. With any other text, the response is the first page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Id of the run. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunAnnotations"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    changeRunAnnotations: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the run. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Null removes it; left out, it stays. */
                    title?: string | null;
                    /** @description Null removes it; left out, it stays. The note of the document stays too. */
                    note?: string | null;
                    /** @description Tags that the document has already are left out. */
                    add_tags?: string[];
                    /** @description Tags of the document itself stay. */
                    remove_tags?: string[];
                    /** @description The `revision` that the change was made on, null for a run to which nothing was added. If it is another one by now, the response is 409. Left out, the change is made in any case. */
                    revision?: string | null;
                };
            };
        };
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AnnotatedRun"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It conflicts with what is stored */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is valid JSON, but not what this accepts; `error` names the field */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listComments: {
        parameters: {
            query?: {
                /** @description Only the comments on the case with this key. */
                case?: string;
                /** @description Maximum number of rows, from 1 to 50. A value out of range is clamped. */
                limit?: number;
                /** @description Opaque position from `next_cursor`. With any other text, the response is the first page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Id of the run. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CommentList"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createComment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the run. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Plain text. Line breaks are stored as line feeds. */
                    text: string;
                    /** @description The case that the comment is on; null or left out for the run itself. */
                    case_key?: string | null;
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Comment"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is valid JSON, but not what this accepts; `error` names the field */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteComment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the run. */
                id: string;
                /** @description The `id` of the comment. */
                comment_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; the response has no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It conflicts with what is stored */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getRunStatistics: {
        parameters: {
            query?: {
                /** @description Number of trials. */
                k?: number;
                /** @description What makes cases depend on each other: `test`, `tag:PREFIX` or `var:NAME`. */
                cluster_by?: string;
                /** @description The column of the run that is meant, instead of all its cases. `PROVIDER`, or `PROVIDER,PROMPT` for one of its prompts; a comma or a percent sign within a name is percent-encoded. */
                column?: string;
            };
            header?: never;
            path: {
                /** @description Id of the run. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunStatistics"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is valid JSON, but not what this accepts; `error` names the field */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getCalibration: {
        parameters: {
            query?: {
                /** @description The metric whose judge is meant. Without it and without `target`: the whole case if people labelled that, else the metric that they labelled last, else the only metric of the run. */
                metric?: string;
                /** @description What people judge: the whole `case`, or one `metric` of it. */
                target?: "case" | "metric";
                /** @description What makes cases depend on each other: `test`, `tag:PREFIX` or `var:NAME`. */
                cluster_by?: string;
                /** @description Only what was recorded up to this record of the log, as it was at its time. Labels that were erased since then are left out. */
                as_of?: number;
            };
            header?: never;
            path: {
                /** @description Id of the run. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunCalibration"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is valid JSON, but not what this accepts; `error` names the field */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getLeaderboard: {
        parameters: {
            query?: {
                /** @description `column`: a line for each provider with each of its prompts. `provider`: one for each provider. */
                by?: "column" | "provider";
                /** @description The column with which the others are compared; the best one by default. `PROVIDER`, or `PROVIDER,PROMPT` for one of its prompts; a comma or a percent sign within a name is percent-encoded. */
                base?: string;
            };
            header?: never;
            path: {
                /** @description Id of the run. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Leaderboard"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is valid JSON, but not what this accepts; `error` names the field */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getComparisonStatistics: {
        parameters: {
            query?: {
                /** @description What makes cases depend on each other: `test`, `tag:PREFIX` or `var:NAME`. */
                cluster_by?: string;
                /** @description The column of the first run that is compared, instead of all its cases. `PROVIDER`, or `PROVIDER,PROMPT` for one of its prompts; a comma or a percent sign within a name is percent-encoded. */
                base_column?: string;
                /** @description The column of the second run that is compared, instead of all its cases. `PROVIDER`, or `PROVIDER,PROMPT` for one of its prompts; a comma or a percent sign within a name is percent-encoded. */
                head_column?: string;
            };
            header?: never;
            path: {
                /** @description Id of the run. */
                id: string;
                /** @description Id of the run that is compared with the first. */
                other: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ComparisonStatistics"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is valid JSON, but not what this accepts; `error` names the field */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    compareCalibration: {
        parameters: {
            query?: {
                /** @description The metric whose judge is meant. Without it and without `target`: the whole case if people labelled that, else the metric that they labelled last, else the only metric of the run. */
                metric?: string;
                /** @description What people judge: the whole `case`, or one `metric` of it. */
                target?: "case" | "metric";
                /** @description What makes cases depend on each other: `test`, `tag:PREFIX` or `var:NAME`. */
                cluster_by?: string;
                /** @description Only what was recorded up to this record of the log, as it was at its time. Labels that were erased since then are left out. */
                as_of?: number;
            };
            header?: never;
            path: {
                /** @description Id of the run. */
                id: string;
                /** @description Id of the run that is compared with the first. */
                other: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ComparedCalibration"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is valid JSON, but not what this accepts; `error` names the field */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getSuiteTrend: {
        parameters: {
            query?: {
                /** @description Only runs of this branch. */
                branch?: string;
            };
            header?: never;
            path: {
                /** @description Name of the project. */
                project: string;
                /** @description Name of the suite. */
                suite: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuiteTrend"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listComparedCases: {
        parameters: {
            query?: {
                /** @description What happened to the cases. `changed`: they got worse or better. `lost`: they passed, and have no verdict now. */
                filter?: "changed" | "worse" | "better" | "undecided" | "still_failing" | "still_passing" | "base_only" | "head_only" | "lost" | "flipped" | "all";
                /** @description The key of a case that is returned as `linked` too; `linked` is null if neither run has it. */
                case?: string;
                /** @description The words, or the part of a text, to search for. */
                q?: string;
                /** @description Only those with this tag. */
                tag?: string;
                /** @description A variable of the case with its value, such as `var.city=Lima`. Text without `=` selects nothing. */
                field?: string;
                /** @description Id of the provider. */
                provider?: string;
                /** @description The column of the first run that is compared, instead of all its cases. `PROVIDER`, or `PROVIDER,PROMPT` for one of its prompts; a comma or a percent sign within a name is percent-encoded. */
                base_column?: string;
                /** @description The column of the second run that is compared, instead of all its cases. `PROVIDER`, or `PROVIDER,PROMPT` for one of its prompts; a comma or a percent sign within a name is percent-encoded. */
                head_column?: string;
                /** @description What the rows are sorted by. */
                sort?: "change" | "name" | "tags" | "base_score" | "head_score" | "score_change" | "flips" | "base_latency" | "head_latency" | "tokens_change";
                /** @description The direction of the order. */
                order?: "asc" | "desc";
                /** @description Maximum number of rows, from 1 to 500. A value out of range is clamped. */
                limit?: number;
                /** @description Opaque position from `next_cursor`. With any other text, the response is the first page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Id of the run. */
                id: string;
                /** @description Id of the run that is compared with the first. */
                other: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ComparedCases"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is valid JSON, but not what this accepts; `error` names the field */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listComparedGroups: {
        parameters: {
            query?: {
                /** @description What groups the cases: `tag`, or one of `fields`, such as `var.city`. */
                by?: string;
                /** @description The column of the first run that is compared, instead of all its cases. `PROVIDER`, or `PROVIDER,PROMPT` for one of its prompts; a comma or a percent sign within a name is percent-encoded. */
                base_column?: string;
                /** @description The column of the second run that is compared, instead of all its cases. `PROVIDER`, or `PROVIDER,PROMPT` for one of its prompts; a comma or a percent sign within a name is percent-encoded. */
                head_column?: string;
            };
            header?: never;
            path: {
                /** @description Id of the run. */
                id: string;
                /** @description Id of the run that is compared with the first. */
                other: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ComparedGroups"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is valid JSON, but not what this accepts; `error` names the field */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    compareConfigs: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the run. */
                id: string;
                /** @description Id of the run that is compared with the first. */
                other: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ComparedConfigs"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    findNearestRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the run. */
                id: string;
                /** @description Id of the run that is compared with the first. */
                other: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NearestRun"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listMatrixRows: {
        parameters: {
            query?: {
                /** @description The number in the cells. */
                value?: "score" | "pass" | "latency" | "cost" | "outputs";
                /** @description The order of the rows: by the mean or the spread of `value`, or by name. */
                sort?: "document" | "worst" | "best" | "spread" | "name";
                /** @description `disagree`: rows whose columns differ in what passed. */
                only?: "disagree";
                /** @description Maximum number of rows, from 1 to 500. A value out of range is clamped. */
                limit?: number;
                /** @description Opaque position from `next_cursor`. With any other text, the response is the first page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Id of the run. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MatrixRows"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    compareManyRuns: {
        parameters: {
            query: {
                /** @description 2 to 8 ids of runs, comma-separated; a comma or a percent sign within one is percent-encoded. */
                runs: string;
                /** @description The run with which the others are compared: one of `runs`. */
                base?: string;
                /** @description Which rows: `differ`, `all`, `all_passed`, `all_failed`, `worse:RUN` or `better:RUN`. */
                filter?: string;
                /** @description Maximum number of rows, from 1 to 500. A value out of range is clamped. */
                limit?: number;
                /** @description Opaque position from `next_cursor`. With any other text, the response is the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManyRuns"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is valid JSON, but not what this accepts; `error` names the field */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    compareOutputs: {
        parameters: {
            query: {
                /** @description 2 to 8 ids of runs, comma-separated; a comma or a percent sign within one is percent-encoded. */
                runs: string;
                /** @description Id of the test. */
                test: string;
                /** @description The run with which the others are compared: one of `runs`. */
                against?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TestOutputs"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getTestOutputs: {
        parameters: {
            query?: {
                /** @description The case key of the column with which the others are compared: one of the columns, or 400. */
                against?: string;
                /** @description 1 to 48 case keys, comma-separated; a comma or a percent sign within one is percent-encoded. */
                cases?: string;
            };
            header?: never;
            path: {
                /** @description Id of the run. */
                id: string;
                /** @description Id of the test. */
                test_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TestOutputs"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listCases: {
        parameters: {
            query?: {
                /** @description Only those with this status. A run has the status `error` if a case of it does, else `fail` if one failed. */
                status?: "pass" | "fail" | "error" | "skip" | "xfail" | "xpass";
                /** @description Only those with this tag. */
                tag?: string;
                /** @description The words, or the part of a text, to search for. */
                q?: string;
                /** @description Id of the provider. */
                provider?: string;
                /** @description Id of the prompt. */
                prompt?: string;
                /** @description Id of the test. */
                test?: string;
                /** @description Why the model stopped. */
                stop_reason?: string;
                /** @description The class of the error. */
                error_class?: string;
                /** @description Why the output is empty. */
                empty_reason?: string;
                /** @description Whether the response of the provider was read from a cache. */
                cached?: boolean;
                /** @description A variable or an assertion of the case with its value, such as `var.city=Lima` or `assert.accuracy=fail`. Text without `=` selects nothing. */
                field?: string;
                /** @description What the rows are sorted by. */
                sort?: "document" | "failures" | "status" | "score" | "latency" | "cost" | "name";
                /** @description The direction of the order. */
                order?: "asc" | "desc";
                /** @description Maximum number of rows, from 1 to 200. A value out of range is clamped. */
                limit?: number;
                /** @description Opaque position from `next_cursor`. With any other text, the response is the first page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Id of the run. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaseList"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listDistributionCases: {
        parameters: {
            query?: {
                /** @description Only those with this status. A run has the status `error` if a case of it does, else `fail` if one failed. */
                status?: "pass" | "fail" | "error" | "skip" | "xfail" | "xpass";
                /** @description Only those with this tag. */
                tag?: string;
                /** @description The words, or the part of a text, to search for. */
                q?: string;
                /** @description Id of the provider. */
                provider?: string;
                /** @description Id of the prompt. */
                prompt?: string;
                /** @description Id of the test. */
                test?: string;
                /** @description Why the model stopped. */
                stop_reason?: string;
                /** @description The class of the error. */
                error_class?: string;
                /** @description Why the output is empty. */
                empty_reason?: string;
                /** @description Whether the response of the provider was read from a cache. */
                cached?: boolean;
                /** @description A variable or an assertion of the case with its value, such as `var.city=Lima` or `assert.accuracy=fail`. Text without `=` selects nothing. */
                field?: string;
                /** @description Scores from this on. */
                score_from?: number;
                /** @description Scores below this. */
                score_below?: number;
                /** @description Latencies from this on, in milliseconds. */
                latency_from?: number;
                /** @description Latencies below this, in milliseconds. */
                latency_below?: number;
                /** @description What the rows are sorted by. */
                sort?: "document" | "failures" | "status" | "score" | "latency" | "cost" | "name";
                /** @description The direction of the order. */
                order?: "asc" | "desc";
                /** @description Maximum number of rows, from 1 to 200. A value out of range is clamped. */
                limit?: number;
                /** @description Opaque position from `next_cursor`. With any other text, the response is the first page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Id of the run. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaseList"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listCaseRows: {
        parameters: {
            query?: {
                /** @description Only those with this status. A run has the status `error` if a case of it does, else `fail` if one failed. */
                status?: "pass" | "fail" | "error" | "skip" | "xfail" | "xpass";
                /** @description Only those with this tag. */
                tag?: string;
                /** @description The words, or the part of a text, to search for. */
                q?: string;
                /** @description Id of the provider. */
                provider?: string;
                /** @description Id of the prompt. */
                prompt?: string;
                /** @description Id of the test. */
                test?: string;
                /** @description Why the model stopped. */
                stop_reason?: string;
                /** @description The class of the error. */
                error_class?: string;
                /** @description Why the output is empty. */
                empty_reason?: string;
                /** @description Whether the response of the provider was read from a cache. */
                cached?: boolean;
                /** @description A variable or an assertion of the case with its value, such as `var.city=Lima` or `assert.accuracy=fail`. Text without `=` selects nothing. */
                field?: string;
                /** @description Scores from this on. */
                score_from?: number;
                /** @description Scores below this. */
                score_below?: number;
                /** @description Latencies from this on, in milliseconds. */
                latency_from?: number;
                /** @description Latencies below this, in milliseconds. */
                latency_below?: number;
                /** @description What the rows are sorted by. */
                sort?: "document" | "failures" | "status" | "score" | "latency" | "cost" | "name";
                /** @description The direction of the order. */
                order?: "asc" | "desc";
                /** @description Maximum number of rows, from 1 to 200. A value out of range is clamped. */
                limit?: number;
                /** @description Position of the first row in the whole list, counted from 0. */
                offset?: number;
                /** @description Whether each row has the variables and assertions of its case. */
                fields?: boolean;
                /** @description Key of a case: the page that has it. If the run does not have it, or the filters leave it out, the page at `offset` with `place` null. */
                around?: string;
            };
            header?: never;
            path: {
                /** @description Id of the run. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaseRows"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getCaseFields: {
        parameters: {
            query?: {
                /** @description Only those with this status. A run has the status `error` if a case of it does, else `fail` if one failed. */
                status?: "pass" | "fail" | "error" | "skip" | "xfail" | "xpass";
                /** @description Only those with this tag. */
                tag?: string;
                /** @description The words, or the part of a text, to search for. */
                q?: string;
                /** @description Id of the provider. */
                provider?: string;
                /** @description Id of the prompt. */
                prompt?: string;
                /** @description Id of the test. */
                test?: string;
                /** @description Why the model stopped. */
                stop_reason?: string;
                /** @description The class of the error. */
                error_class?: string;
                /** @description Why the output is empty. */
                empty_reason?: string;
                /** @description Whether the response of the provider was read from a cache. */
                cached?: boolean;
                /** @description A variable or an assertion of the case with its value, such as `var.city=Lima` or `assert.accuracy=fail`. Text without `=` selects nothing. */
                field?: string;
                /** @description Scores from this on. */
                score_from?: number;
                /** @description Scores below this. */
                score_below?: number;
                /** @description Latencies from this on, in milliseconds. */
                latency_from?: number;
                /** @description Latencies below this, in milliseconds. */
                latency_below?: number;
                /** @description The field to group by: `provider`, `prompt`, `tag`, `stop_reason`, `error_class`, or one of `fields`, such as `var.city`. */
                by?: string;
            };
            header?: never;
            path: {
                /** @description Id of the run. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaseFields"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    exportCasesCsv: {
        parameters: {
            query?: {
                /** @description Only those with this status. A run has the status `error` if a case of it does, else `fail` if one failed. */
                status?: "pass" | "fail" | "error" | "skip" | "xfail" | "xpass";
                /** @description Only those with this tag. */
                tag?: string;
                /** @description The words, or the part of a text, to search for. */
                q?: string;
                /** @description Id of the provider. */
                provider?: string;
                /** @description Id of the prompt. */
                prompt?: string;
                /** @description Id of the test. */
                test?: string;
                /** @description Why the model stopped. */
                stop_reason?: string;
                /** @description The class of the error. */
                error_class?: string;
                /** @description Why the output is empty. */
                empty_reason?: string;
                /** @description Whether the response of the provider was read from a cache. */
                cached?: boolean;
                /** @description A variable or an assertion of the case with its value, such as `var.city=Lima` or `assert.accuracy=fail`. Text without `=` selects nothing. */
                field?: string;
                /** @description Scores from this on. */
                score_from?: number;
                /** @description Scores below this. */
                score_below?: number;
                /** @description Latencies from this on, in milliseconds. */
                latency_from?: number;
                /** @description Latencies below this, in milliseconds. */
                latency_below?: number;
                /** @description What the rows are sorted by. */
                sort?: "document" | "failures" | "status" | "score" | "latency" | "cost" | "name";
                /** @description The direction of the order. */
                order?: "asc" | "desc";
                /** @description `true` begins the file with a byte order mark, which some spreadsheets need to read UTF-8. */
                bom?: boolean;
            };
            header?: never;
            path: {
                /** @description Id of the run. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The rows as CSV */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getCase: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the run. */
                id: string;
                /** @description Key of the case. */
                case_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Case"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getCaseInSuite: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the run. */
                id: string;
                /** @description Key of the case. */
                case_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaseInSuite"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getDistribution: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the run. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Distribution"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getCaseHistory: {
        parameters: {
            query?: {
                /** @description Maximum number of rows, from 1 to 100. A value out of range is clamped. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description Name of the project. */
                project: string;
                /** @description Name of the suite. */
                suite: string;
                /** @description Key of the case. */
                case_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaseHistory"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    putPart: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The SHA-256 of the bytes, in lower-case hex. */
                sha256: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PartReceived"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It conflicts with what is stored */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The type or the encoding of the body is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is valid JSON, but not what this accepts; `error` names the field */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    putParts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": string;
            };
        };
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PartsReceived"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It conflicts with what is stored */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The type or the encoding of the body is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is valid JSON, but not what this accepts; `error` names the field */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getPartUpload: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The SHA-256 of the bytes, in lower-case hex. */
                sha256: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PartUpload"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deletePartUpload: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The SHA-256 of the bytes, in lower-case hex. */
                sha256: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; the response has no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    findMissingParts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    sha256: string[];
                };
            };
        };
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MissingParts"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is valid JSON, but not what this accepts; `error` names the field */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listEvidence: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the run. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EvidenceList"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    attachEvidence: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the run. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The SHA-256 of the bytes, in lower-case hex. */
                    manifest: string;
                };
            };
        };
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AttachedEvidence"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AttachedEvidence"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It conflicts with what is stored */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is valid JSON, but not what this accepts; `error` names the field */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getEvidenceManifest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the run. */
                id: string;
                /** @description 0 for what came with the upload, from 1 for what was added later. */
                n: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            /** @description Status 206 */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Status 416 */
            416: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getRunPart: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the run. */
                id: string;
                /** @description The SHA-256 of the bytes, in lower-case hex. */
                sha256: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The bytes of the part, with the type that they have. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": unknown;
                };
            };
            /** @description The range of them that was asked for. */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": unknown;
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Status 416 */
            416: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listCaseParts: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the run. */
                id: string;
                /** @description Key of the case. */
                case_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaseParts"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getTranscript: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the run. */
                id: string;
                /** @description The SHA-256 of the bytes, in lower-case hex. */
                sha256: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TranscriptSummary"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listTranscriptOutline: {
        parameters: {
            query?: {
                /** @description The number of the first event, from 1: those before it are left out. */
                from?: number;
                /** @description Maximum number of rows, from 1 to 2000. A value out of range is clamped. */
                limit?: number;
                /** @description Types of events, with commas between them. `error` is every event with an error, `text` a line that is no event. */
                types?: string;
                /** @description The number of a span: only it and what is in it, at any depth. */
                span?: number;
            };
            header?: never;
            path: {
                /** @description Id of the run. */
                id: string;
                /** @description The SHA-256 of the bytes, in lower-case hex. */
                sha256: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TranscriptOutline"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listTranscriptEvents: {
        parameters: {
            query?: {
                /** @description The number of the first event, from 1: those before it are left out. */
                from?: number;
                /** @description The number of a message, from 0: the list begins with its event, whatever `from` is. */
                message?: number;
                /** @description Maximum number of rows, from 1 to 200. A value out of range is clamped. */
                limit?: number;
                /** @description Types of events, with commas between them. `error` is every event with an error, `text` a line that is no event. */
                types?: string;
                /** @description The number of a span: only it and what is in it, at any depth. */
                span?: number;
            };
            header?: never;
            path: {
                /** @description Id of the run. */
                id: string;
                /** @description The SHA-256 of the bytes, in lower-case hex. */
                sha256: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TranscriptEvents"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getTranscriptEvent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the run. */
                id: string;
                /** @description The SHA-256 of the bytes, in lower-case hex. */
                sha256: string;
                /** @description The number of the event, from 1. */
                n: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The line of the event. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                    "application/octet-stream": unknown;
                };
            };
            /** @description The range of it that was asked for. */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                    "application/octet-stream": unknown;
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Status 416 */
            416: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    findInTranscript: {
        parameters: {
            query?: {
                /** @description A text, without regard to case. It is found in the texts of events, whole. */
                q?: string;
                /** @description The number of the first event, from 1: those before it are left out. */
                from?: number;
                /** @description Maximum number of rows, from 1 to 1000. A value out of range is clamped. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description Id of the run. */
                id: string;
                /** @description The SHA-256 of the bytes, in lower-case hex. */
                sha256: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TranscriptMatches"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    search: {
        parameters: {
            query: {
                /** @description The words, or the part of a text, to search for. */
                q: string;
                /** @description Maximum number of rows, from 1 to 200. A value out of range is clamped. */
                limit?: number;
                /** @description Whether the response of the provider was read from a cache. */
                cached?: "exclude" | "only" | "all";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SearchHits"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    searchCases: {
        parameters: {
            query: {
                /** @description The words, or the part of a text, to search for. */
                q: string;
                /** @description Name of the project. */
                project?: string;
                /** @description Name of the suite. */
                suite?: string;
                /** @description Only those with this status. A run has the status `error` if a case of it does, else `fail` if one failed. */
                status?: "pass" | "fail" | "error" | "skip" | "xfail" | "xpass";
                /** @description Maximum number of rows, from 1 to 50. A value out of range is clamped. */
                limit?: number;
                /** @description Opaque position from `next_cursor`. With any other text, the response is the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaseSearch"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    searchRuns: {
        parameters: {
            query: {
                /** @description The words, or the part of a text, to search for. */
                q: string;
                /** @description Name of the project. */
                project?: string;
                /** @description Name of the suite. */
                suite?: string;
                /** @description Maximum number of rows, from 1 to 50. A value out of range is clamped. */
                limit?: number;
                /** @description Opaque position from `next_cursor`. With any other text, the response is the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunSearch"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    searchComments: {
        parameters: {
            query: {
                /** @description The words, or the part of a text, to search for. */
                q: string;
                /** @description Name of the project. */
                project?: string;
                /** @description Name of the suite. */
                suite?: string;
                /** @description Maximum number of rows, from 1 to 50. A value out of range is clamped. */
                limit?: number;
                /** @description Opaque position from `next_cursor`. With any other text, the response is the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CommentSearch"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listProjects: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProjectList"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listSuites: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the project. */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuiteList"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listSets: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProjectSets"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getProject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the project. */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProjectSet"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getSuite: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the project. */
                project: string;
                /** @description Name of the suite. */
                suite: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuiteSet"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getSuiteGrid: {
        parameters: {
            query?: {
                /** @description Maximum number of runs, from 1 to 200. A value out of range is clamped. */
                runs?: number;
                /** @description Only runs of this branch. */
                branch?: string;
                /** @description The direction of the order. */
                order?: "changed" | "flaky" | "failing" | "name";
                /** @description A part of a name, or of the id of a test, provider, prompt or case. */
                q?: string;
                /** @description One row for all trials of a case, or for all cases of a test, whatever their provider; `~` where they disagree. `auto`: by test where the runs share tests but no cases. */
                fold?: "trials" | "test" | "auto";
                /** @description Adds the values of each row: the mean of its cases in each run, without those read from a cache. */
                measure?: "score" | "cost_usd" | "latency_ms" | "tokens";
                /** @description Maximum number of rows, from 1 to 500. A value out of range is clamped. */
                limit?: number;
                /** @description Opaque position from `next_cursor`. With any other text, the response is the first page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Name of the project. */
                project: string;
                /** @description Name of the suite. */
                suite: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuiteGrid"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getSuiteFlakiness: {
        parameters: {
            query?: {
                /** @description Number of runs: the newest one, and the runs before it with the same providers and most of its cases. */
                window?: number;
                /** @description Only runs of this branch. */
                branch?: string;
            };
            header?: never;
            path: {
                /** @description Name of the project. */
                project: string;
                /** @description Name of the suite. */
                suite: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuiteFlakiness"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getCaseTimeline: {
        parameters: {
            query?: {
                /** @description Maximum number of rows, from 1 to 200. A value out of range is clamped. */
                limit?: number;
                /** @description Opaque position from `next_cursor`. With any other text, the response is the first page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Name of the project. */
                project: string;
                /** @description Name of the suite. */
                suite: string;
                /** @description Key of the case. */
                case_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaseTimeline"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getBadge: {
        parameters: {
            query?: {
                /** @description Only runs of this branch. */
                branch?: string;
                /** @description `status`: whether any case failed or ended with an error. `calibrated`: the pass rate that people would give, by their labels. */
                metric?: "pass-rate" | "status" | "score" | "calibrated";
                /** @description The text on the left side of the image. Default: the name of the suite. */
                label?: string;
                /** @description A key of the suite, from `POST …/badge`: with it, no other credential is needed. */
                key?: string;
            };
            header?: never;
            path: {
                /** @description Name of the project. */
                project: string;
                /** @description Name of the suite. */
                suite: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The badge */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/svg+xml": string;
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The suite has no such run, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/svg+xml": string;
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createBadge: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the project. */
                project: string;
                /** @description Name of the suite. */
                suite: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The address of the image, with its key. */
                        url: string;
                    };
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It conflicts with what is stored */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    revokeBadges: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the project. */
                project: string;
                /** @description Name of the suite. */
                suite: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; the response has no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getSuiteSettings: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the project. */
                project: string;
                /** @description Name of the suite. */
                suite: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuiteSettings"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    changeSuiteSettings: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the project. */
                project: string;
                /** @description Name of the suite. */
                suite: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Who looks after the suite: a person or a team. Null ends it; left out, it stays. */
                    owner?: string | null;
                    /** @description Until a time, until a new run, or until the first of both. Null ends it; left out, it stays. */
                    snooze?: {
                        until?: string | null;
                        until_new_run?: boolean;
                        why?: string | null;
                    } | null;
                    /** @description Null ends it; left out, it stays. */
                    archive?: {
                        why?: string | null;
                    } | null;
                    /** @description From this rise on, against the previous like run, the cost of the suite needs attention. Null is 25 percent; left out, it stays. */
                    cost?: {
                        rise_percent: number;
                    } | null;
                    /** @description From this rise on, against the previous like run, the latency of the suite needs attention. Null is 25 percent; left out, it stays. */
                    latency?: {
                        rise_percent: number;
                    } | null;
                };
            };
        };
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuiteSettings"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is valid JSON, but not what this accepts; `error` names the field */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listJudges: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the project. */
                project: string;
                /** @description Name of the suite. */
                suite: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuiteJudges"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    changeDeclaredJudge: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the project. */
                project: string;
                /** @description Name of the suite. */
                suite: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeclaredJudge"];
            };
        };
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeclaredJudge"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It conflicts with what is stored */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is valid JSON, but not what this accepts; `error` names the field */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getOverview: {
        parameters: {
            query?: {
                /** @description Only suites of this project. Give it several times for several projects. */
                project?: string | string[];
                /** @description Only suites that need attention. */
                attention?: boolean;
                /** @description Only archived suites. Otherwise they are left out. */
                archived?: boolean;
                /** @description Only suites with this owner. */
                owner?: string;
                /** @description Only suites with all of these words in their name, project, owner or reason. */
                q?: string;
                /** @description Maximum number of rows, from 1 to 500. A value out of range is clamped. */
                limit?: number;
                /** @description Opaque position from `next_cursor`. With any other text, the response is the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Overview"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listPlans: {
        parameters: {
            query?: {
                /** @description Name of the project. */
                project?: string;
                /** @description Name of the suite. */
                suite?: string;
                /** @description Maximum number of rows, from 1 to 200. A value out of range is clamped. */
                limit?: number;
                /** @description Opaque position from `next_cursor`. With any other text, the response is the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlanList"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    registerPlan: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    project: string;
                    suite: string;
                    text?: string | null;
                    plan_sha256?: string | null;
                    /** @description New runs of the suite with this digest follow the plan. */
                    config_digest?: string | null;
                    metric?: "pass_rate" | null;
                    comparator?: (">=" | ">") | null;
                    threshold?: number | null;
                    case_count?: number | null;
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlanDetail"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is valid JSON, but not what this accepts; `error` names the field */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getPlan: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the plan. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlanDetail"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    revealPlan: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the plan. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Any text, of at most 65536 bytes of UTF-8. It is stored byte for byte. */
                    text: string;
                };
            };
        };
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlanDetail"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It conflicts with what is stored */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is valid JSON, but not what this accepts; `error` names the field */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    withdrawPlan: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the plan. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlanDetail"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listRubrics: {
        parameters: {
            query?: {
                /** @description Name of the project. */
                project?: string;
                /** @description Name of the suite. */
                suite?: string;
                /** @description Maximum number of rows, from 1 to 200. A value out of range is clamped. */
                limit?: number;
                /** @description Opaque position from `next_cursor`. With any other text, the response is the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RubricList"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createRubric: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    project: string;
                    suite: string;
                    name: string;
                    /** @description What people decide by: Markdown of at most 65536 bytes of UTF-8. */
                    text: string;
                    questions: {
                        key: string;
                        /** @enum {string} */
                        kind: "verdict" | "score" | "category" | "categories" | "preference" | "comment" | "span";
                        /** @description What is asked. */
                        label: string;
                        /** @description Its answer decides the final label. Of exactly one verdict, score, category or preference. */
                        deciding?: boolean;
                        min?: number;
                        max?: number;
                        /** @description The distance between two values of a score. */
                        step?: number;
                        /** @description The least value that passes, of a score that decides. */
                        pass_from?: number;
                        options?: {
                            key: string;
                            label: string;
                            /** @description This option passes, of a category that decides. */
                            pass?: boolean;
                        }[];
                    }[];
                    /**
                     * @description What reviewers see of a case, each with a heading: `prompt`, `output`, `tool_calls`, or `vars.` and the name of a variable. Without any, they see the prompt and the output.
                     * @default []
                     */
                    show?: {
                        field: string;
                        label: string;
                    }[];
                    /**
                     * @description How many days the labels count as new.
                     * @default 90
                     */
                    valid_days?: number;
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RubricDetail"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is valid JSON, but not what this accepts; `error` names the field */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getRubric: {
        parameters: {
            query?: {
                /** @description The version, counted from 1; the newest without it. */
                version?: number;
            };
            header?: never;
            path: {
                /** @description Id of the rubric. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RubricDetail"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    changeRubric: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the rubric. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description `wording`: earlier labels still count. `meaning`: they do not count for the new version.
                     * @enum {string}
                     */
                    change: "wording" | "meaning";
                    name: string;
                    /** @description What people decide by: Markdown of at most 65536 bytes of UTF-8. */
                    text: string;
                    questions: {
                        key: string;
                        /** @enum {string} */
                        kind: "verdict" | "score" | "category" | "categories" | "preference" | "comment" | "span";
                        /** @description What is asked. */
                        label: string;
                        /** @description Its answer decides the final label. Of exactly one verdict, score, category or preference. */
                        deciding?: boolean;
                        min?: number;
                        max?: number;
                        /** @description The distance between two values of a score. */
                        step?: number;
                        /** @description The least value that passes, of a score that decides. */
                        pass_from?: number;
                        options?: {
                            key: string;
                            label: string;
                            /** @description This option passes, of a category that decides. */
                            pass?: boolean;
                        }[];
                    }[];
                    /**
                     * @description What reviewers see of a case, each with a heading: `prompt`, `output`, `tool_calls`, or `vars.` and the name of a variable. Without any, they see the prompt and the output.
                     * @default []
                     */
                    show?: {
                        field: string;
                        label: string;
                    }[];
                    /**
                     * @description How many days the labels count as new.
                     * @default 90
                     */
                    valid_days?: number;
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RubricDetail"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It conflicts with what is stored */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is valid JSON, but not what this accepts; `error` names the field */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    retireRubric: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the rubric. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RubricDetail"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listReviewQueues: {
        parameters: {
            query?: {
                /** @description Name of the project. */
                project?: string;
                /** @description Name of the suite. */
                suite?: string;
                /** @description Only open queues, or only closed ones. */
                state?: "open" | "closed";
                /** @description Maximum number of rows, from 1 to 200. A value out of range is clamped. */
                limit?: number;
                /** @description Opaque position from `next_cursor`. With any other text, the response is the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReviewQueueList"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    openReviewQueue: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    project: string;
                    suite: string;
                    /** @description The queue uses its newest version. */
                    rubric_id: string;
                    /**
                     * @description Whole cases, or one judged metric.
                     * @enum {string}
                     */
                    target: "case" | "metric";
                    metric?: string | null;
                    /**
                     * @description Labels that each case gets.
                     * @default 2
                     */
                    per_item?: number;
                    /**
                     * @default adjudicate
                     * @enum {string}
                     */
                    resolve?: "adjudicate" | "majority";
                    /** @description Names or ids of accounts. */
                    reviewers: string[];
                    /** @default [] */
                    adjudicators?: string[];
                    selection: {
                        /** @enum {string} */
                        kind: "random";
                        runs: string[];
                        count: number;
                    } | {
                        /** @enum {string} */
                        kind: "by_verdict";
                        runs: string[];
                        passed?: number;
                        failed?: number;
                        /** @description In place of both: as many cases as bring the calibrated rate to this half width. */
                        half_width?: number;
                    } | {
                        /** @enum {string} */
                        kind: "near_threshold";
                        runs: string[];
                        count: number;
                    } | {
                        /** @enum {string} */
                        kind: "suspected";
                        runs: string[];
                        count: number;
                    } | {
                        /** @enum {string} */
                        kind: "disagreement";
                        runs: string[];
                        count: number;
                        /** @description Another run: same tests and outputs, other verdicts. */
                        with_run?: string;
                        /** @description Another metric of the same cases. */
                        with_metric?: string;
                    } | {
                        /**
                         * @description Of a preference: the same tests in two runs, with different outputs. The first run is A, the second B.
                         * @enum {string}
                         */
                        kind: "pairs";
                        runs: string[];
                        count: number;
                    } | {
                        /** @enum {string} */
                        kind: "list";
                        cases: {
                            run_id: string;
                            case_key: string;
                        }[];
                    };
                    seed?: string;
                    /**
                     * @description Only counts: no queue is opened.
                     * @default false
                     */
                    dry_run?: boolean;
                };
            };
        };
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReviewQueuePreview"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReviewQueue"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It conflicts with what is stored */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is valid JSON, but not what this accepts; `error` names the field */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    importLabels: {
        parameters: {
            query: {
                /** @description The tool that wrote the file; `csv` for a table of your own. */
                from: "label-studio" | "argilla" | "langfuse" | "langsmith" | "csv";
                /** @description The rubric that the labels follow: its newest version. */
                rubric_id: string;
                /** @description The run whose cases were labelled. */
                run_id: string;
                /** @description Whole cases, or one judged metric. */
                target?: "case" | "metric";
                /** @description The name of the metric; none for whole cases. */
                metric?: string;
                /** @description What names a case, in the file and in the run: `case_key`, `test_id`, or the name of a variable of the cases. */
                match?: string;
                /** @description The name of the question in the tool. Its answers are those to the deciding question of the rubric. */
                question?: string;
                /** @description For a verdict: a value that passes; all others fail. May be given several times. */
                pass?: string | string[];
                /** @description A value that says that the person cannot tell. May be given several times. */
                cannot_tell?: string | string[];
                /** @description What makes a final label where labels differ. A closed queue has no adjudicator, so with `adjudicate` these items wait. */
                resolve?: "adjudicate" | "majority";
                /** @description Whether the cases were drawn at random. Otherwise the labels never say how often a judge is wrong. */
                random_sample?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description All of its labels were imported before */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportedLabels"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportedLabels"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It conflicts with what is stored */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The type or the encoding of the body is not supported */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is valid JSON, but not what this accepts; `error` names the field */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getReviewQueue: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the review queue. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReviewQueue"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listReviewItems: {
        parameters: {
            query?: {
                /** @description Only items in this state. */
                state?: "open" | "waiting" | "final" | "gone";
                /** @description Only items with this verdict of the judge. */
                verdict?: "pass" | "fail";
                /** @description Only items that people decided so. Of a closed queue. */
                final?: "pass" | "fail" | "cannot_tell";
                /** @description Only items where `people` differ, or where they and the `judge` do. Of a closed queue. */
                differs?: "people" | "judge";
                /** @description Maximum number of rows, from 1 to 200. A value out of range is clamped. */
                limit?: number;
                /** @description Opaque position from `next_cursor`. With any other text, the response is the first page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Id of the review queue. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReviewItemList"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    changeReviewers: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the review queue. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @default [] */
                    add?: {
                        /** @description The name or the id of an account. */
                        name: string;
                        /** @enum {string} */
                        role: "reviewer" | "adjudicator";
                    }[];
                    /** @default [] */
                    remove?: string[];
                };
            };
        };
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReviewQueue"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It conflicts with what is stored */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is valid JSON, but not what this accepts; `error` names the field */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    closeReviewQueue: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the review queue. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReviewQueue"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getReviewAgreement: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the review queue. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReviewAgreement"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It conflicts with what is stored */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    exportLabels: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the review queue. */
                id: string;
                /** @description `csv`: CSV; `jsonl`: JSON Lines; `parquet`: Parquet */
                format: "csv" | "jsonl" | "parquet";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The labels in the format. `Content-Disposition` has a name for the file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": unknown;
                    "application/x-ndjson": unknown;
                    "application/vnd.apache.parquet": unknown;
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It conflicts with what is stored */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listMyReviewQueues: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MyReviewQueues"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    takeReviewItems: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    queue_id: string;
                    /** @default 1 */
                    count?: number;
                };
            };
        };
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MyReviewItems"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is valid JSON, but not what this accepts; `error` names the field */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getReviewItem: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the item: the id of its queue, a point and its number. */
                item: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MyReviewItem"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    labelItem: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the item: the id of its queue, a point and its number. */
                item: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description A ULID that the client draws. The same label sent again is recorded once. */
                    label_id: string;
                    /** @description By the key of the question: `pass` or `fail`, a number, an option, a list of options, a text, or marks. Null is "cannot tell". */
                    answers: {
                        [key: string]: unknown;
                    };
                    /** @description How long the case was looked at. */
                    seconds: number;
                    /**
                     * @description The output named its model.
                     * @default false
                     */
                    recognised?: boolean;
                    /** @description Your own label that this one replaces. */
                    revises?: string | null;
                };
            };
        };
        responses: {
            /** @description The same label was recorded before */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecordedLabel"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecordedLabel"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It conflicts with what is stored */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is valid JSON, but not what this accepts; `error` names the field */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    adjudicateItem: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the item: the id of its queue, a point and its number. */
                item: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description A ULID that the client draws. The same label sent again is recorded once. */
                    label_id: string;
                    /** @description By the key of the question: `pass` or `fail`, a number, an option, a list of options, a text, or marks. Null is "cannot tell". */
                    answers: {
                        [key: string]: unknown;
                    };
                    /** @description How long the case was looked at. */
                    seconds: number;
                    /**
                     * @description The output named its model.
                     * @default false
                     */
                    recognised?: boolean;
                };
            };
        };
        responses: {
            /** @description The same decision was recorded before */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecordedLabel"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecordedLabel"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It conflicts with what is stored */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is valid JSON, but not what this accepts; `error` names the field */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    declineItem: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the item: the id of its queue, a point and its number. */
                item: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    reason: "conflict" | "not_qualified" | "unreadable";
                };
            };
        };
        responses: {
            /** @description Done; the response has no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It conflicts with what is stored */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is valid JSON, but not what this accepts; `error` names the field */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    withdrawLabel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the label. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    reason: "mistake" | "conflict";
                };
            };
        };
        responses: {
            /** @description Done; the response has no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It conflicts with what is stored */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is valid JSON, but not what this accepts; `error` names the field */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getProjectAccess: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the project. */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessList"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    findProjectAccounts: {
        parameters: {
            query: {
                /** @description The beginning of a name, in any case. An empty one finds no account. */
                name: string;
            };
            header?: never;
            path: {
                /** @description Name of the project. */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FoundAccounts"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    restrictProject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the project. */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; the response has no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is valid JSON, but not what this accepts; `error` names the field */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    liftProjectRestriction: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the project. */
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; the response has no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    grantProjectAccess: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the project. */
                project: string;
                /** @description Id of the account. */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    level: "view" | "upload" | "manage";
                };
            };
        };
        responses: {
            /** @description Done; the response has no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is valid JSON, but not what this accepts; `error` names the field */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    revokeProjectAccess: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the project. */
                project: string;
                /** @description Id of the account. */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; the response has no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getSuiteAccess: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the project. */
                project: string;
                /** @description Name of the suite. */
                suite: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessList"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    findSuiteAccounts: {
        parameters: {
            query: {
                /** @description The beginning of a name, in any case. An empty one finds no account. */
                name: string;
            };
            header?: never;
            path: {
                /** @description Name of the project. */
                project: string;
                /** @description Name of the suite. */
                suite: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FoundAccounts"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    restrictSuite: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the project. */
                project: string;
                /** @description Name of the suite. */
                suite: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; the response has no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is valid JSON, but not what this accepts; `error` names the field */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    liftSuiteRestriction: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the project. */
                project: string;
                /** @description Name of the suite. */
                suite: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; the response has no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    grantSuiteAccess: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the project. */
                project: string;
                /** @description Name of the suite. */
                suite: string;
                /** @description Id of the account. */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    level: "view" | "upload" | "manage";
                };
            };
        };
        responses: {
            /** @description Done; the response has no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is valid JSON, but not what this accepts; `error` names the field */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    revokeSuiteAccess: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the project. */
                project: string;
                /** @description Name of the suite. */
                suite: string;
                /** @description Id of the account. */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; the response has no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listAccess: {
        parameters: {
            query?: {
                /** @description Name of the project. */
                project?: string;
                /** @description Only projects and suites on which this account has a grant. */
                user_id?: string;
                /** @description Whether projects and suites without restrictions and grants are listed too. */
                open?: boolean;
                /** @description Maximum number of rows, from 1 to 200. A value out of range is clamped. */
                limit?: number;
                /** @description Opaque position from `next_cursor`. With any other text, the response is the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessOverview"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    liftRestrictionByName: {
        parameters: {
            query: {
                /** @description Name of the project. */
                project: string;
                /** @description Name of the suite. */
                suite?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; the response has no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    revokeGrantByName: {
        parameters: {
            query: {
                /** @description Name of the project. */
                project: string;
                /** @description Name of the suite. */
                suite?: string;
                /** @description Id of the account. */
                user_id: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; the response has no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listAudit: {
        parameters: {
            query?: {
                /** @description Id of an account or a credential, or the label of one. */
                actor?: string;
                /** @description Only events of this type. */
                type?: "RunIngested" | "RunDeleted" | "EvidenceAttached" | "RunAnnotated" | "RunCommented" | "CommentDeleted" | "BaselinePinned" | "BaselineUnpinned" | "BadgeKeyMinted" | "BadgeKeysRevoked" | "SetRestricted" | "RestrictionLifted" | "AccessGranted" | "AccessRevoked" | "UserCreated" | "UserChanged" | "UserDeleted" | "IdentityLinked" | "SignedIn" | "SignedOut" | "SessionsEnded" | "SignInRefused" | "KeyMinted" | "KeyRevoked" | "InviteMade" | "ResetLinkMade" | "LinkUsed" | "LinkRevoked" | "Started" | "ProjectionRebuilt" | "CachePruned" | "CacheEntryDeleted" | "LogKeyAdopted" | "LogKeyRetired" | "EventErased" | "HoldPlaced" | "HoldLifted" | "PlanRegistered" | "PlanRevealed" | "PlanWithdrawn" | "RubricVersioned" | "RubricRetired" | "ReviewQueueOpened" | "ReviewersChanged" | "ReviewQueueClosed" | "LabelGiven" | "LabelWithdrawn" | "ItemDeclined" | "ItemAdjudicated" | "SuiteSettingChanged" | "JudgeDeclared" | "WebhookCreated" | "WebhookSecretReplaced" | "WebhookDisabled" | "WebhookDeleted";
                /** @description A stream; or, with a slash at the end, all streams that start with it: `run/`, `baseline/chat/`. */
                stream?: string;
                /** @description Epoch milliseconds or RFC 3339, inclusive. */
                since?: string;
                /** @description Epoch milliseconds or RFC 3339, inclusive. */
                until?: string;
                /** @description Maximum number of rows, from 1 to 200. A value out of range is clamped. */
                limit?: number;
                /** @description Opaque position from `next_cursor`. With any other text, the response is the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditList"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    exportAudit: {
        parameters: {
            query?: {
                /** @description Id of an account or a credential, or the label of one. */
                actor?: string;
                /** @description Only events of this type. */
                type?: "RunIngested" | "RunDeleted" | "EvidenceAttached" | "RunAnnotated" | "RunCommented" | "CommentDeleted" | "BaselinePinned" | "BaselineUnpinned" | "BadgeKeyMinted" | "BadgeKeysRevoked" | "SetRestricted" | "RestrictionLifted" | "AccessGranted" | "AccessRevoked" | "UserCreated" | "UserChanged" | "UserDeleted" | "IdentityLinked" | "SignedIn" | "SignedOut" | "SessionsEnded" | "SignInRefused" | "KeyMinted" | "KeyRevoked" | "InviteMade" | "ResetLinkMade" | "LinkUsed" | "LinkRevoked" | "Started" | "ProjectionRebuilt" | "CachePruned" | "CacheEntryDeleted" | "LogKeyAdopted" | "LogKeyRetired" | "EventErased" | "HoldPlaced" | "HoldLifted" | "PlanRegistered" | "PlanRevealed" | "PlanWithdrawn" | "RubricVersioned" | "RubricRetired" | "ReviewQueueOpened" | "ReviewersChanged" | "ReviewQueueClosed" | "LabelGiven" | "LabelWithdrawn" | "ItemDeclined" | "ItemAdjudicated" | "SuiteSettingChanged" | "JudgeDeclared" | "WebhookCreated" | "WebhookSecretReplaced" | "WebhookDisabled" | "WebhookDeleted";
                /** @description A stream; or, with a slash at the end, all streams that start with it: `run/`, `baseline/chat/`. */
                stream?: string;
                /** @description Epoch milliseconds or RFC 3339, inclusive. */
                since?: string;
                /** @description Epoch milliseconds or RFC 3339, inclusive. */
                until?: string;
                /** @description Whether each line also has the salt, body, commitment and leaf of its record. */
                full?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Each line is one event. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": unknown;
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getAuditRecord: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Number of the record, counted from 1. */
                seq: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditRecord"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getLogKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Verifier keys of c2sp.org/signed-note. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain; charset=utf-8": string;
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getCheckpoint: {
        parameters: {
            query?: {
                /** @description Whether the checkpoint must meet the witness policy. */
                cosigned?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A signed note. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain; charset=utf-8": string;
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listCheckpoints: {
        parameters: {
            query?: {
                /** @description Maximum number of rows, from 1 to 200. A value out of range is clamped. */
                limit?: number;
                /** @description Opaque position from `next_cursor`. With any other text, the response is the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CheckpointList"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getCheckpointOfSize: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Size of the log: its number of records. */
                size: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A signed note. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain; charset=utf-8": string;
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getEntryTile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Number of the tile in groups of three digits, `x001/x234/067`; of a partial tile with `.p/` and its width. */
                rest: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An entry bundle. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": unknown;
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getHashTile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Level of the tile, counted from 0. */
                level: string;
                /** @description Number of the tile in groups of three digits, `x001/x234/067`; of a partial tile with `.p/` and its width. */
                rest: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A tile. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": unknown;
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getInclusionProof: {
        parameters: {
            query?: {
                /** @description Size of a checkpoint that the log keeps; without it, the newest. */
                size?: number;
            };
            header?: never;
            path: {
                /** @description Index of the record, counted from 0. */
                index: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A proof of c2sp.org/tlog-proof, or its parts. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain; charset=utf-8": string;
                    "application/json": components["schemas"]["InclusionProof"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getConsistencyProof: {
        parameters: {
            query: {
                /** @description Size of the smaller log: its number of records. */
                from: number;
                /** @description Size of the larger log. */
                to: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConsistencyProof"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getRunReceipt: {
        parameters: {
            query?: {
                /** @description Whether the checkpoint of the receipt must meet the witness policy. */
                cosigned?: boolean;
                /** @description The number of evidence of the run: the receipt is that of the record that added it. */
                evidence?: number;
            };
            header?: never;
            path: {
                /** @description Id of the run. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A proof of c2sp.org/tlog-proof that contains the record, or its parts. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain; charset=utf-8": string;
                    "application/json": components["schemas"]["Receipt"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getPlanReceipt: {
        parameters: {
            query?: {
                /** @description Whether the checkpoint of the receipt must meet the witness policy. */
                cosigned?: boolean;
            };
            header?: never;
            path: {
                /** @description Id of the plan. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A proof of c2sp.org/tlog-proof that contains the record, or its parts. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain; charset=utf-8": string;
                    "application/json": components["schemas"]["Receipt"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getLabelReceipt: {
        parameters: {
            query?: {
                /** @description Whether the checkpoint of the receipt must meet the witness policy. */
                cosigned?: boolean;
            };
            header?: never;
            path: {
                /** @description Id of the label. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A proof of c2sp.org/tlog-proof that contains the record, or its parts. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain; charset=utf-8": string;
                    "application/json": components["schemas"]["Receipt"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getRecordReceipt: {
        parameters: {
            query?: {
                /** @description Whether the checkpoint of the receipt must meet the witness policy. */
                cosigned?: boolean;
            };
            header?: never;
            path: {
                /** @description Number of the record, counted from 1. */
                seq: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A proof of c2sp.org/tlog-proof that contains the record, or its parts. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain; charset=utf-8": string;
                    "application/json": components["schemas"]["Receipt"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    pinBaseline: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the project. */
                project: string;
                /** @description Name of the suite. */
                suite: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    run_id: string;
                };
            };
        };
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        project: string;
                        suite: string;
                        run_id: string;
                    };
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is valid JSON, but not what this accepts; `error` names the field */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    unpinBaseline: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the project. */
                project: string;
                /** @description Name of the suite. */
                suite: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; the response has no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    unpinBaselineByName: {
        parameters: {
            query: {
                /** @description Name of the project. */
                project: string;
                /** @description Name of the suite. */
                suite: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; the response has no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getCacheBody: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Key of the cache entry: `sha256:` and 64 hexadecimal digits. */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The bytes as they were stored. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": unknown;
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    putCacheBody: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Key of the cache entry: `sha256:` and 64 hexadecimal digits. */
                key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getCacheStats: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CacheStats"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    previewCachePrune: {
        parameters: {
            query?: {
                /** @description Evicts entries that were stored more than this many days ago. */
                older_than_days?: number;
                /** @description Evicts entries that were stored less than this many days ago. */
                newer_than_days?: number;
                /** @description One or more reasons, comma-separated. */
                empty_reason?: string;
                /** @description Entries of this model. */
                model?: string;
                /** @description Entries of this kind. */
                kind?: string;
                /** @description Evicts the least recently used entries until the cache has at most this many bytes. */
                target_bytes?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CacheEviction"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    pruneCache: {
        parameters: {
            query?: {
                /** @description Evicts entries that were stored more than this many days ago. */
                older_than_days?: number;
                /** @description Evicts entries that were stored less than this many days ago. */
                newer_than_days?: number;
                /** @description One or more reasons, comma-separated. */
                empty_reason?: string;
                /** @description Entries of this model. */
                model?: string;
                /** @description Entries of this kind. */
                kind?: string;
                /** @description Evicts the least recently used entries until the cache has at most this many bytes. */
                target_bytes?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CachePruned"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    previewCacheEviction: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Key of the cache entry: `sha256:` and 64 hexadecimal digits. */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CacheEviction"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getCacheOverview: {
        parameters: {
            query?: {
                /** @description Maximum number of rows, from 1 to 366. A value out of range is clamped. */
                days?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CacheOverview"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getCacheEntry: {
        parameters: {
            query?: {
                /** @description Whether the stored text is returned too. */
                raw?: boolean;
                /** @description The cache of the service, or its local directory. */
                tier?: "server" | "local";
            };
            header?: never;
            path: {
                /** @description Key of the cache entry: `sha256:` and 64 hexadecimal digits. */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CacheEntry"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteCacheEntry: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Key of the cache entry: `sha256:` and 64 hexadecimal digits. */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; the response has no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listCacheEntries: {
        parameters: {
            query?: {
                /** @description A kind; or `unindexed` or `unparseable`. */
                kind?: string;
                /** @description The model that was asked. */
                model?: string;
                /** @description Why the output is empty. */
                empty_reason?: string;
                /** @description The words, or the part of a text, to search for. */
                q?: string;
                /** @description Epoch milliseconds or RFC 3339, inclusive. */
                since?: string;
                /** @description Epoch milliseconds or RFC 3339, inclusive. */
                until?: string;
                /** @description The least cost in millionths of a US dollar. */
                min_cost_microusd?: number;
                /** @description The greatest cost in millionths of a US dollar. */
                max_cost_microusd?: number;
                /** @description The cache of the service, or its local directory. */
                tier?: "server" | "local";
                /** @description What the rows are sorted by. */
                sort?: "created" | "last_access" | "size" | "cost";
                /** @description The direction of the order. */
                order?: "desc" | "asc";
                /** @description Maximum number of rows, from 1 to 200. A value out of range is clamped. */
                limit?: number;
                /** @description Opaque position from `next_cursor`. With any other text, the response is the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CacheList"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listRunsOfCacheEntry: {
        parameters: {
            query?: {
                /** @description Maximum number of rows, from 1 to 200. A value out of range is clamped. */
                limit?: number;
                /** @description Opaque position from `next_cursor`. With any other text, the response is the first page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Key of the cache entry: `sha256:` and 64 hexadecimal digits. */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CacheRuns"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listCacheFacets: {
        parameters: {
            query?: {
                /** @description The cache of the service, or its local directory. */
                tier?: "server" | "local";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CacheFacets"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createFirstAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    username: string;
                    password: string;
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It conflicts with what is stored */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is valid JSON, but not what this accepts; `error` names the field */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    signIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    username: string;
                    password: string;
                };
            };
        };
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is valid JSON, but not what this accepts; `error` names the field */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    changePassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    current_password: string;
                    new_password: string;
                };
            };
        };
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionsEnded"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It conflicts with what is stored */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is valid JSON, but not what this accepts; `error` names the field */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    findInvite: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description What follows `#` in the link. */
                    secret: string;
                };
            };
        };
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShownInvite"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is valid JSON, but not what this accepts; `error` names the field */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createInvitedAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description What follows `#` in the link. */
                    secret: string;
                    username: string;
                    password: string;
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It conflicts with what is stored */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is valid JSON, but not what this accepts; `error` names the field */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    findResetLink: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description What follows `#` in the link. */
                    secret: string;
                };
            };
        };
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShownResetLink"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is valid JSON, but not what this accepts; `error` names the field */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    changePasswordByLink: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description What follows `#` in the link. */
                    secret: string;
                    password: string;
                };
            };
        };
        responses: {
            /** @description Done; the response has no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is valid JSON, but not what this accepts; `error` names the field */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    startOidcSignIn: {
        parameters: {
            query?: {
                /** @description The path of this service to open after the sign-in. */
                return_to?: string;
            };
            header?: never;
            path: {
                /** @description Name of the identity provider. */
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A redirect: `Location` is where the browser continues. */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    finishOidcSignIn: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the identity provider. */
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A redirect: `Location` is where the browser continues. */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    startSamlSignIn: {
        parameters: {
            query?: {
                /** @description The path of this service to open after the sign-in. */
                return_to?: string;
            };
            header?: never;
            path: {
                /** @description Name of the identity provider. */
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A redirect: `Location` is where the browser continues. */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    finishSamlSignIn: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the identity provider. */
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A redirect: `Location` is where the browser continues. */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getSamlMetadata: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the identity provider. */
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": string;
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    signOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getMe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listOwnSessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OwnSessions"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    endOtherSessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionsEnded"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    endSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the session. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; the response has no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listViews: {
        parameters: {
            query?: {
                /** @description Offers the answer as a file to download. */
                format?: "json";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SavedViews"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createView: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    /** @description The path of a page of the web app, without the parts `.` and `..`. */
                    path: string;
                    query?: string | null;
                    pinned?: boolean | null;
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SavedView"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It conflicts with what is stored */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is valid JSON, but not what this accepts; `error` names the field */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteView: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the saved view. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; the response has no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    changeView: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the saved view. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name?: string | null;
                    path?: string | null;
                    query?: string | null;
                    pinned?: boolean | null;
                    position?: number | null;
                    /** @description Whether everyone who sees its sets finds it. */
                    shared?: boolean | null;
                };
            };
        };
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SavedView"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is valid JSON, but not what this accepts; `error` names the field */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listWebhooks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhooks"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Where messages are sent: an https URL, or `mailto:` and an address for e-mails. */
                    url: string;
                    /**
                     * @description How messages are written: `standard` is Standard Webhooks; `slack`, `teams` and `discord` are for the webhooks of these chats.
                     * @default standard
                     * @enum {string}
                     */
                    format?: "standard" | "slack" | "teams" | "discord" | "email";
                    events: ("run.ingested" | "run.regressed" | "run.recovered" | "run.costlier" | "run.slower" | "judge.changed" | "suite.changed" | "review.completed" | "baseline.pinned" | "baseline.unpinned" | "run.deleted")[];
                    project?: string | null;
                    /** @description Allowed only together with `project`. */
                    suite?: string | null;
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It conflicts with what is stored */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is valid JSON, but not what this accepts; `error` names the field */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the webhook. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; the response has no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the webhook. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It conflicts with what is stored */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the webhook. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookTest"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It conflicts with what is stored */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                /** @description Maximum number of rows, from 1 to 200. A value out of range is clamped. */
                limit?: number;
                /** @description Opaque position from `next_cursor`. With any other text, the response is the first page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Id of the webhook. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDeliveries"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listApiKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeys"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name?: string | null;
                    scope?: ("review" | "read" | "write" | "admin") | null;
                    expires_at?: string | null;
                    /** @description Limits the key to this project: everything else is absent for it. Its scope is at most `write`. */
                    project?: string | null;
                    /** @description Limits the key to this suite of the project. */
                    suite?: string | null;
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MintedApiKey"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It conflicts with what is stored */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is valid JSON, but not what this accepts; `error` names the field */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    revokeApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the API key. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; the response has no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listUsers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Users"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createUser: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    username: string;
                    password?: string;
                    /** @enum {string} */
                    role: "admin" | "member" | "viewer" | "reviewer";
                    /** @description An account of a machine: it has no password and cannot sign in, only API keys. Its role is not `admin`. */
                    service?: boolean;
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It conflicts with what is stored */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is valid JSON, but not what this accepts; `error` names the field */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listUserOverviews: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserOverviews"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listApiKeysOfUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the account. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeys"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createServiceKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the account. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name?: string | null;
                    scope?: ("review" | "read" | "write" | "admin") | null;
                    expires_at?: string | null;
                    /** @description Limits the key to this project: everything else is absent for it. Its scope is at most `write`. */
                    project?: string | null;
                    /** @description Limits the key to this suite of the project. */
                    suite?: string | null;
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MintedApiKey"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It conflicts with what is stored */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is valid JSON, but not what this accepts; `error` names the field */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the account. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; the response has no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It conflicts with what is stored */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    changeUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the account. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    role?: ("admin" | "member" | "viewer" | "reviewer") | null;
                    disabled?: boolean | null;
                    password?: string | null;
                };
            };
        };
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It conflicts with what is stored */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is valid JSON, but not what this accepts; `error` names the field */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createResetLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the account. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MadeAccountLink"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It conflicts with what is stored */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listAccountLinks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountLinks"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createInvite: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    role: "admin" | "member" | "viewer" | "reviewer";
                    /** @description Whom it is for, as admins see it. It is deleted when the link ends. */
                    label?: string | null;
                    /** @description What the account is granted, each project or suite once. */
                    grants?: {
                        project: string;
                        suite?: string | null;
                        /** @enum {string} */
                        level: "view" | "upload" | "manage";
                    }[];
                    /**
                     * Format: date-time
                     * @description When the link ends, in 30 days at most; in 7 days without it.
                     */
                    expires_at?: string | null;
                    /** @description The path of the page that the invited person sees first. */
                    return_to?: string | null;
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MadeAccountLink"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It conflicts with what is stored */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is valid JSON, but not what this accepts; `error` names the field */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    revokeAccountLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the invite or of the link for a new password. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; the response has no body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    applyRetention: {
        parameters: {
            query?: {
                /** @description Only counts: nothing is written. */
                dry_run?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Retention"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getServer: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Server"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listAllApiKeys: {
        parameters: {
            query?: {
                /** @description A part of the key's name or prefix, or of the account's name. The case of ASCII letters does not matter. */
                q?: string;
                /** @description Id of the account. */
                user_id?: string;
                /** @description Only keys of this scope. */
                scope?: "review" | "read" | "write" | "admin";
                /** @description Only keys in this state. */
                state?: "usable" | "disabled" | "expired" | "revoked" | "live";
                /** @description Only keys that were neither created nor used since then. Epoch milliseconds or RFC 3339, exclusive. */
                unused_since?: string;
                /** @description What the rows are sorted by. */
                sort?: "created" | "used" | "account" | "name";
                /** @description The direction of the order. */
                order?: "asc" | "desc";
                /** @description Maximum number of rows, from 1 to 200. A value out of range is clamped. */
                limit?: number;
                /** @description Opaque position from `next_cursor`. With any other text, the response is the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountKeys"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    eraseRecords: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    reference: string;
                    dry_run?: boolean | null;
                    run_id?: string | null;
                    user_id?: string | null;
                    seqs?: number[] | null;
                };
            };
        };
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erased"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It conflicts with what is stored */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is valid JSON, but not what this accepts; `error` names the field */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listHolds: {
        parameters: {
            query?: {
                /** @description Only holds that stand (true), or only those that were lifted (false). */
                standing?: boolean;
                /** @description Maximum number of rows, from 1 to 200. A value out of range is clamped. */
                limit?: number;
                /** @description Opaque position from `next_cursor`. With any other text, the response is the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HoldList"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    placeHold: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    reference: string;
                    note?: string | null;
                    run_id?: string | null;
                    project?: string | null;
                    suite?: string | null;
                };
            };
        };
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Hold"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Hold"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is valid JSON, but not what this accepts; `error` names the field */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getHold: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the hold. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Hold"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    liftHold: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the hold. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    reference: string;
                };
            };
        };
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Hold"];
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It does not exist, or the caller may not see it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description It conflicts with what is stored */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is valid JSON, but not what this accepts; `error` names the field */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    streamEvents: {
        parameters: {
            query?: {
                /** @description Name of the project. */
                project?: string;
                /** @description Name of the suite. */
                suite?: string;
                /** @description The id of the last message that was received. The header `Last-Event-ID` takes precedence. */
                after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            /** @description The path, a parameter or the syntax of the body is invalid; `error` names it */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A valid credential is required */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The credential does not have the scope or the level that this needs */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Too many requests; try again after the seconds in `Retry-After` */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is busy, still builds what this reads, or cannot reach its store; try again after the seconds in `Retry-After` */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
}

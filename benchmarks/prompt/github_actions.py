"""The mocked tools for workflows and their runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.prompt.github_base import Args, GithubError, filled, page, repository, url, user
from benchmarks.prompt.github_world import Data


def actions_list(world: Data, args: Args) -> Any:
    repo = repository(world, args)
    wanted = args.get("resource_id")
    match args["method"]:
        case "list_workflows":
            names = sorted({run["workflow"] for run in repo["runs"]})
            rows = [
                {"id": at, "name": name.split(".")[0], "path": f".github/workflows/{name}"}
                | {"state": "active"}
                for at, name in enumerate(names, start=1)
            ]
            return {"total_count": len(rows), "workflows": page(rows, args, "per_page")}
        case "list_workflow_runs":
            by = args.get("workflow_runs_filter", {})
            known = {name: name for name in (run["workflow"] for run in repo["runs"])}
            known |= {str(at): name for at, name in enumerate(sorted(set(known)), start=1)}
            rows = [
                _run(world, repo, run)
                for run in repo["runs"]
                if (not wanted or known.get(str(wanted)) == run["workflow"])
                and by.get("actor", run["actor"]) == run["actor"]
                and by.get("branch", run["branch"]) == run["branch"]
                and by.get("event", run["event"]) == run["event"]
                and by.get("status", run["status"]) == run["status"]
            ]
            return {"total_count": len(rows), "workflow_runs": page(rows, args, "per_page")}
        case "list_workflow_jobs":
            rows = _jobs(_run_of(repo, wanted))
            return {"jobs": {"total_count": len(rows), "jobs": page(rows, args, "per_page")}}
        case _:
            return {"total_count": 0, "artifacts": []}


def _run_of(repo: Data, id: Any) -> Data:
    for run in repo["runs"]:
        if str(run["id"]) == str(id).removesuffix(".0"):
            return run
    raise GithubError(f"GET /repos/{repo['full_name']}/actions/runs/{id}: 404 Not Found []")


def _run(world: Data, repo: Data, run: Data) -> Data:
    return filled(
        {
            "id": run["id"],
            "name": run["workflow"].split(".")[0],
            "path": f".github/workflows/{run['workflow']}",
            "run_number": run["id"] - 9_000,
            "run_attempt": run["attempt"],
            "event": run["event"],
            "status": run["status"],
            "conclusion": run["conclusion"],
            "head_branch": run["branch"],
            "head_sha": run["head_sha"],
            "actor": user(world, run["actor"]),
            "html_url": url(repo, "actions", "runs", run["id"]),
            "created_at": run["created_at"],
        }
    )


def _jobs(run: Data) -> list[Data]:
    failed = run["conclusion"] == "failure"
    return [
        {
            "id": job["id"],
            "run_id": run["id"],
            "name": job["name"],
            "status": run["status"],
            "conclusion": "failure" if failed and job["name"] == "test" else run["conclusion"],
            "duration_seconds": job["seconds"],
        }
        for job in run["jobs"]
    ]


def actions_get(world: Data, args: Args) -> Any:
    repo = repository(world, args)
    match args["method"]:
        case "get_workflow_run":
            return _run(world, repo, _run_of(repo, args["resource_id"]))
        case "get_workflow_job":
            for run in repo["runs"]:
                for job in _jobs(run):
                    if str(job["id"]) == args["resource_id"]:
                        return job
            raise GithubError(f"GET actions/jobs/{args['resource_id']}: 404 Not Found []")
        case "get_workflow_run_usage":
            seconds = sum(job["seconds"] for job in _run_of(repo, args["resource_id"])["jobs"])
            return {"run_duration_ms": seconds * 1_000}
        case _:
            return {"id": args["resource_id"], "url": url(repo, "actions", args["resource_id"])}


def actions_run_trigger(world: Data, args: Args) -> Any:
    repo = repository(world, args)
    method = args["method"]
    if method == "run_workflow":
        return {"message": "Workflow run has been queued", "status_code": 204}
    if "run_id" not in args:
        raise GithubError("missing required parameter: run_id")
    run = _run_of(repo, int(args["run_id"]))
    if method == "cancel_workflow_run":
        if run["status"] == "completed":
            raise GithubError("409 Cannot cancel a workflow run that is completed []")
        run |= {"status": "completed", "conclusion": "cancelled"}
    elif method.startswith("rerun"):
        if run["status"] != "completed":
            raise GithubError("403 This workflow is already running []")
        run |= {"status": "in_progress", "conclusion": None, "attempt": run["attempt"] + 1}
    return {"message": f"{method} has been queued", "run_id": run["id"], "status_code": 201}


def get_job_logs(world: Data, args: Args) -> Any:
    repo = repository(world, args)
    if "run_id" in args:
        jobs = [
            job
            for job in _jobs(_run_of(repo, int(args["run_id"])))
            if job["conclusion"] == "failure" or not args.get("failed_only")
        ]
        logs = [_log(job["id"], job["name"]) for job in jobs]
        return {"message": f"Retrieved logs for {len(logs)} failed jobs", "logs": logs}
    return _log(int(args.get("job_id", 0)), "job")


def _log(id: int, name: str) -> Data:
    return {"job_id": id, "job_name": name, "logs_content": f"run {name}\nexit code 1"}


TOOLS: dict[str, Callable[[Data, Args], Any]] = {
    "actions_list": actions_list,
    "actions_get": actions_get,
    "actions_run_trigger": actions_run_trigger,
    "get_job_logs": get_job_logs,
}

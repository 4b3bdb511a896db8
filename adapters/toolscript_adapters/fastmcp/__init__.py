"""FastMCP: a transform that puts one code tool in the place of a server's tools.

    server = FastMCP("shop", transforms=[CodeTransform()])

It works as well on a server that mounts or proxies others.
"""

from toolscript.extras import needs

with needs("fastmcp"):
    from toolscript_adapters.fastmcp.transform import CodeTransform

__all__ = ["CodeTransform"]
